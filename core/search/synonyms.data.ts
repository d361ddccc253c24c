/**
 * Words that tools and the people who look for them use for one and the same thing, one group a line: verbs first, then objects.
 * General to the field; a word may be in several groups.
 */
export const SYNONYMS = `
create add new make build generate insert compose produce construct
create open start begin initiate launch
create register setup establish provision
add append attach insert include put
add join enroll subscribe
get fetch retrieve obtain read load pull acquire
get show display view see present
get check look lookup inspect
get tell know provide give return
get extract scrape grab capture
list enumerate browse all index show catalog
search find query lookup seek discover locate explore
search filter match scan
update edit modify change set alter adjust revise amend patch
update refresh renew upgrade
rename title retitle relabel
delete remove erase destroy drop discard purge clear trash wipe
remove uninstall detach unlink
cancel abort stop terminate revoke undo
stop end halt finish quit shutdown kill close
start run launch boot begin activate
run execute invoke perform trigger call
enable activate turn switch
disable deactivate mute block
send post deliver dispatch transmit submit push
send mail write
publish post release share announce
reply respond answer comment
receive inbox incoming
read open view
write save store record
save keep bookmark store persist
copy duplicate clone replicate
clone fork copy
move transfer relocate migrate shift
upload import attach
download export fetch save
import ingest load
export dump output extract
convert transform turn translate change format
translate translation translator interpret language
transcribe transcription transcript dictation speech caption subtitle
summarize summary abstract digest brief overview condense recap
analyze analyse analysis analytics evaluate assess examine investigate study
compare comparison contrast diff versus difference
calculate compute determine calculation work
count number total tally amount quantity
estimate predict forecast projection approximate prediction
measure measurement gauge
monitor track watch observe follow
track trace follow tracking
test check verify validate
validate verify confirm check
fix repair resolve mend correct debug
resolve close complete
assign delegate allocate
invite add member
approve accept confirm
reject decline deny refuse
merge combine join concatenate unite unify consolidate
split divide separate partition
sort order rank arrange
group cluster categorize
classify categorize label tag
label tag category
rate rating score review evaluate
review feedback rating opinion testimonial comment
recommend suggest suggestion recommendation advice propose advise
choose select pick decide
plan schedule organize arrange planning
schedule book appointment arrange slot
book reserve reservation booking
buy purchase order shop acquire
sell sale offer
pay payment charge transaction billing checkout
refund return reimburse
rent rental lease hire
draw sketch paint illustrate drawing
draw plot chart graph diagram
design create layout
render draw display visualize
visualize visualization chart plot graph
play playback stream listen
listen hear audio
watch view stream
pause stop hold
record capture log
capture screenshot snapshot grab
crop cut trim clip
resize scale
compress zip shrink archive pack
decompress unzip extract unpack uncompress
encrypt encode cipher
decrypt decode decipher
encode encoding
decode decoding
sign signature
scan detect
detect recognize identify recognition detection spot
identify recognize determine
learn study lesson tutorial course
teach explain instruct tutor
explain describe clarify
describe description detail
define definition meaning
solve answer solution
remind reminder alert notify
notify alert notification notice
subscribe follow
connect link attach join
connect integrate
disconnect unlink logout
login signin log
logout signout
deploy release ship rollout
install setup add
configure setup customize settings
restart reboot reload
rollback revert undo restore
restore recover revert
backup snapshot archive
archive store
lock secure protect
share invite collaborate
navigate goto visit browse open
click press tap
type enter input fill
fill complete form
scroll swipe
drag drop
simulate simulation model
optimize improve enhance boost
improve enhance better
increase raise grow
decrease reduce lower
generate produce write create
rewrite rephrase paraphrase reword
proofread grammar spelling spell correct
randomize random shuffle
image picture photo photograph pic
photo snapshot
video clip movie footage
movie film cinema
film movie
audio sound music
song track music tune
music song audio
artist musician singer band
album record
lyrics song words
email mail inbox
message chat sms text note
chat conversation talk dialog discuss
conversation thread discussion
thread topic discussion
channel room
contact person people
person people individual human
people users members
user account member profile customer
customer client buyer
employee staff worker personnel
team group
company business firm organization corporation enterprise
organization company
file document
folder directory
document doc paper file
note memo
page webpage
website site web webpage homepage
web internet online
url link address hyperlink
link url
text content string
content body text
code source program script programming
script program
snippet excerpt
bug issue defect error problem
issue ticket bug problem
ticket issue case
task todo item job
todo task
project workspace
board kanban
sprint iteration
milestone deadline
branch version
commit change revision
version release revision
pull merge
pipeline workflow build
workflow automation flow process
job task
database db table
table sheet grid
row record entry
record entry
column field
spreadsheet sheet excel workbook
slide presentation powerpoint deck slideshow
presentation slides
chart graph plot diagram
diagram flowchart chart
map location
location place address position site
place location venue spot
address location
coordinates latitude longitude
direction route navigation path
route path directions
distance far length
nearby near around close vicinity local
city town
country nation
region area zone
weather climate forecast meteorological
temperature heat
forecast prediction outlook
rain precipitation rainfall
calendar schedule agenda
event meeting appointment
meeting conference
date day
time hour clock
timezone time
today current now
current present latest now
latest recent newest new current last
recent latest
history past historical log
historical history
upcoming future next
price cost rate fee quote
cost price expense
cheap affordable low inexpensive budget
discount deal coupon promo offer voucher sale
money currency cash fund
currency money exchange
exchange convert conversion
stock share equity ticker
market exchange
crypto cryptocurrency coin token
bitcoin crypto
balance account
invoice bill receipt
transaction payment
budget finance expense
finance financial money
loan mortgage credit
mortgage loan
tax taxation
salary wage pay income compensation
revenue income earnings sales
profit earning gain
investment invest portfolio
bank banking
insurance coverage policy
product item goods merchandise
item product
inventory stock
shop store
store shop
cart basket
order purchase
shipment delivery shipping package parcel
delivery shipping
parcel package
hotel accommodation lodging stay
flight plane airline air
airline flight
airport flight
trip travel journey tour vacation itinerary
travel trip
itinerary trip plan
restaurant dining eatery
food meal dish cuisine
recipe cook cooking dish
ingredient food
drink beverage cocktail
diet nutrition
nutrition calorie nutrient
exercise workout fitness training
health medical wellness
doctor physician medical
medicine drug medication pharmaceutical
disease illness condition
symptom sign
patient person
hospital clinic
job career position vacancy employment
resume cv
candidate applicant
interview hiring
school college university education
course class lesson
student pupil learner
teacher instructor tutor
quiz test exam question
exam test
question query
answer response reply
book novel literature
author writer
article post story
news headline article
headline news
blog post
paper research article study publication
research study
science scientific
citation reference
quote quotation saying
joke humor funny
story tale narrative
poem poetry verse
word term vocabulary
synonym thesaurus
definition dictionary
dictionary definition
sentence phrase
language translation
game play
player athlete
team club
match game fixture
score result
league competition tournament championship
standings ranking table leaderboard
car vehicle automobile auto
vehicle car
house home property
property estate house
estate property
apartment flat
garden plant
pet animal
dog puppy
cat kitten
animal wildlife species
color colour
size dimension
shape figure
icon logo symbol
logo brand
brand trademark company
font typeface
template pattern layout
theme style
style format
format type
number digit
equation formula expression
formula equation
math mathematics mathematical arithmetic
statistics statistical stats
average mean
sum total add
percentage percent
random arbitrary
list collection
collection set
set group
category type kind genre
type kind
genre category
tag keyword
keyword term phrase
name title
title name heading
id identifier key
key id
status state condition
state status
detail information info
information data detail
data information dataset
dataset data
report summary
metric measure indicator
log event
error exception failure
failure crash error
warning alert
alert warning alarm
permission access right role
role permission
password credential secret
token key
security secure safety
vulnerability weakness risk cve
risk danger threat
network internet
server host machine
host server
domain hostname
ip address
container docker
cluster node
pod container
instance machine server
service api
api endpoint service
function method procedure
method function
class type
variable parameter
parameter option argument
setting option preference configuration
option choice
library package module
package module dependency
dependency package
plugin extension addon
device hardware
phone mobile telephone
mobile phone
screen display
browser web
camera photo
sensor device
light lamp
profile account bio
biography bio profile
follower subscriber
post article tweet
tweet post
feed stream timeline
comment reply
like favorite
favorite favourite bookmark
trend trending popular
popular top trending best
top best highest
best top
holiday vacation
birthday anniversary
gift present
religion religious
bible scripture verse
astrology horoscope zodiac
horoscope zodiac
law legal
legal law
contract agreement
patent invention
government public
energy power electricity
power energy
pollution emission
air atmosphere
water hydro
earthquake seismic quake
satellite space
planet astronomy space
space astronomy
chemical compound chemistry
molecule compound
gene genetic
protein sequence
`;
