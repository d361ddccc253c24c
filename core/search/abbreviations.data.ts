/** Short forms and what they stand for, one group a line. In a group every word may be written for every other. */
export const ABBREVIATIONS = `
repo repository repositories
db database databases
config configuration configure cfg conf
env environment
auth authentication authenticate authorization authorize
msg message
img image
pic picture
doc document
docs documentation
dir directory folder
pr pull request
mr merge request
k8s kubernetes kube
info information
admin administrator administration
app application
param parameter arg argument
arg argument
args arguments
attr attribute
auto automatic automatically
calc calculate calculator calculation
char character
cmd command
col column
cert certificate
ci integration
cpu processor
ctx context
del delete
dept department
desc description
dest destination
dev development developer
dist distance distribution
dl download
dns domain
err error
exec execute execution
expr expression
fn func function
func function
gen generate generator
geo geographic geolocation geography
id identifier
idx index
init initialize
intl international
kb knowledge
lang language
lat latitude
lng lon longitude
lib library
loc location
max maximum
mem memory
mgmt management manage
min minimum
misc miscellaneous
nav navigate navigation
net network
nft token
num number
obj object
op operation
ops operations
org organization organisation
os system
param parameter
params parameters
perf performance
perm permission
perms permissions
pkg package
pos position
pref preference
prefs preferences
prev previous
proc process
prod production
prop property
props properties
pwd password
qty quantity
ref reference
reg register registration
regex regexp regular
rel release relation
req request requirement
res response resource
resp response
sched schedule scheduler
sec security second
seq sequence
spec specification
src source
srv server
stat status statistic
stats statistics
str string
sub subscription
svc service
sync synchronize synchronise synchronization
sys system
tbl table
temp temperature temporary
tmp temporary
txn transaction
tx transaction
ui interface
url link
usr user
util utility utilities
val value
var variable
vars variables
vm virtual machine
vid video
vol volume
wx weather
yt youtube
btc bitcoin
eth ethereum
crypto cryptocurrency
fx forex exchange currency
usd dollar
eur euro
gps location
eta arrival
faq question
ml machine
nlp language
ocr recognition
tts speech
stt transcription
asr transcription
qr code
seo optimization
sql database
ssl tls certificate
ssh shell
tz timezone
utc time
iso standard
hr human
kpi metric
roi return
sku product
sms message text
vat tax
tv television
nyc york
uk kingdom
us usa america american
eu europe european
bmi body
dna genetic genome
ecg ekg heart
mri scan
`;
