/** What people ask for that no software does: acts of hands, in few words and in sentences. Written for this bench, before any of it was asked of a catalogue. */
export const ACTS: readonly string[] = `
unclog the kitchen sink
iron my shirts
walk the dog
mow the lawn
sharpen a chainsaw
sew a button on
wax the skis
tune the piano
feed the goldfish
bleed the radiators
re-tile the bathroom
knead the dough
shear the sheep
milk the goats
polish the silverware
sweep the chimney
patch a bicycle tube
braid her hair
clip the cat's claws
shovel snow off the driveway
rake the leaves
oil a squeaky hinge
hem the curtains
tighten the loose tap
bottle the cider
prune the apple tree
light the wood stove
defrost the freezer
carve a pumpkin
fold the laundry
My kitchen sink has been clogged since yesterday, please come over and clear it with a plunger
I would like somebody to iron all of my shirts before the wedding on Saturday
The hedge in front of the house has grown too high, trim it to about a metre and a half
Could you hold the ladder while I clean the gutters above the porch?
Our cat is stuck on the roof again, climb up and carry her down gently
Peel two kilos of potatoes and put them into cold water until the guests arrive
The left front tyre is flat, jack up the car and put on the spare wheel
Give the puppy a bath and dry him with the old towel behind the door
Please rub some cream on my back, I was in the sun for too long
Chop the birch logs and stack them against the wall of the shed
Scrape the old paint off the window frames and sand them until they are smooth
Teach my grandmother how to ride a unicycle without falling over
Hang the heavy mirror above the sofa so that it does not tilt to one side
Stir the risotto slowly and add a ladle of broth whenever it gets dry
The bathroom door squeaks terribly, put a drop of oil on both of its hinges
Catch the wasp in the bedroom with a glass and let it out of the window
Massage my shoulders for ten minutes, they are stiff from carrying boxes
Dig a hole of half a metre beside the fence and plant the cherry sapling there
Whistle a lullaby for the baby until she falls asleep in the cradle
Untangle the fairy lights and wind them around the spruce in the garden
`
  .trim()
  .split('\n');

/** The same kind, in other languages: none of their words is one of a tool's. */
export const ELSEWHERE: readonly string[] = `
den verstopften Abfluss in der Küche reinigen
den Rasen mähen und die Hecke stutzen
ein Loch im Zaun flicken
déboucher l'évier de la cuisine
tondre la pelouse dimanche matin
recoudre un bouton de chemise
desatascar el fregadero de la cocina
planchar las camisas de mi hermano
podar el manzano del jardín
sturare il lavandino
stirare le camicie
przystrzyc żywopłot za domem
вымыть окна на кухне
покормить кошку и собаку
遛狗并喂鱼
修剪院子里的草坪
台所の排水口を掃除する
犬を散歩に連れて行く
정원 잔디를 깎아 주세요
نظف المدخنة قبل الشتاء
`
  .trim()
  .split('\n');
