/** Words of one topic, one topic a line: whoever asks with one of them may mean a tool that speaks with another. Weaker evidence than a synonym. */
export const TOPICS = `
weather temperature rain snow wind humidity storm sunny cloud
stock share ticker market price quote nasdaq dividend trading investor
crypto bitcoin ethereum blockchain wallet token nft coin
finance budget saving spend expense bank loan credit debt invest
food recipe cook meal dinner lunch breakfast restaurant menu ingredient chef eat hungry
diet calorie nutrition weight protein vitamin healthy vegan vegetarian
fitness workout exercise gym training muscle run yoga
health symptom disease doctor medicine treatment patient diagnosis pain sick fever headache therapy clinical
mental therapy stress anxiety mood emotion feeling meditation depress
travel trip flight hotel airport tour vacation destination itinerary visa sightseeing
transport bus train subway traffic transit commute taxi ride
map route direction navigation distance location place address geocode
car vehicle dealer drive fuel engine
property house apartment rent mortgage estate home
shop product price buy cart discount deal store order purchase gift
fashion clothes outfit wear style dress shoe
beauty cosmetic makeup skin hair
music song artist album playlist lyrics concert band genre
movie film tv show series actor episode cinema director streaming
game player level play video quest chess puzzle
sport team match score league player football soccer basketball baseball tennis
news headline article journalist press story breaking
book author novel read library literature isbn
education course student learn school university teacher lesson study tutor class
research paper scholar journal citation academic publication arxiv author abstract
job career resume salary hire interview employer candidate recruit
law legal contract attorney court regulation patent
email inbox mail send reply attachment
chat message channel conversation slack
calendar event meeting schedule appointment reminder invite availability
task todo project board deadline sprint ticket issue
file folder directory document disk path
document pdf word docx text page
spreadsheet excel sheet cell row column csv
presentation slide powerpoint
image photo picture draw paint illustration art logo avatar
video clip youtube stream footage edit caption
audio speech voice sound podcast transcribe music
chart graph plot diagram visualization visualize flowchart
code programming software developer function script debug compile
git repository commit branch pull merge github
deploy server cloud container kubernetes docker cluster infrastructure
database sql query table schema record
web website page url browser html crawl scrape
browser page click tab screenshot navigate
search google web internet result
seo keyword ranking traffic backlink website
marketing campaign ad advertisement audience brand lead
social post tweet follower instagram facebook twitter media
customer crm lead contact sales deal
payment invoice charge card checkout subscription billing
security vulnerability password encrypt threat attack malware
monitor log metric alert error incident
ai model prompt llm gpt
math calculate equation algebra number formula geometry
statistics average data analysis regression probability
science physics chemistry biology experiment
chemistry molecule compound reaction element
biology gene protein dna species cell
space planet star astronomy satellite nasa
environment climate pollution emission carbon air energy
energy electricity power solar battery
agriculture farm crop soil plant
animal pet dog cat wildlife
plant garden flower tree
religion god bible prayer church quran
astrology horoscope zodiac sign tarot
history historical ancient war event
culture art museum tradition heritage
language translate word grammar vocabulary dictionary
writing essay write draft grammar text paragraph
joke funny humor meme laugh
quote inspiration motivation saying
kids child children parent family baby
relationship date love marriage wedding
holiday festival celebration christmas birthday party
government election policy politics vote president
military army war weapon defense
device sensor iot smart light home thermostat
phone mobile app android ios sms
time date clock timezone hour
unit convert measurement length weight
currency exchange rate money dollar euro
tax income filing deduction
insurance claim coverage policy premium
logistics shipment delivery tracking package courier warehouse
manufacturing machine factory production
construction building architecture design
design layout figma color font component
robot robotics control
aviation flight aircraft plane airline
ocean sea marine fish ship
earthquake disaster flood hurricane emergency
coupon discount deal promo sale offer
event ticket concert show venue
people person name profile biography
domain dns hostname ip whois
url link shorten qr
color palette hex rgb
random number generate dice coin
`;
