const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** English words that say nothing about what is wanted. */
export const QUIET_WORDS: ReadonlySet<string> = words(
  `a an the this that these those some any all each every my your our their his her its me you us them it i we he she they there here
  is are was were be been being am do does did done have has had can could should would will shall may might must let lets please
  kindly just now then so also too very really want wants need needs like help and or but if of to in on at by
  for from with without into onto as about over under up out off via per than not no yes what which who whom whose when where why how
  tool tools using use used via give gives given one`,
);

/** Words that stand before a value and say which one it is: each with the parameter words it speaks of. */
export const CUES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'to',
    words(
      'to recipient recipients destination dest target email channel user assignee receiver addressee number phone person contact chat room end language currency',
    ),
  ],
  ['into', words('to target language currency destination folder unit format table')],
  ['from', words('from source origin sender start since base currency user account departure folder table')],
  [
    'in',
    words(
      'in location city place region channel repo repository project folder directory path namespace database table language timezone country board room list workspace file team space zone area unit collection bucket currency',
    ),
  ],
  ['inside', words('path folder directory location file')],
  ['at', words('at location address place time start url path position host')],
  ['near', words('location place city address')],
  [
    'for',
    words(
      'for name query subject customer user city location place topic term keyword symbol ticker product company account country team search date word item order',
    ),
  ],
  [
    'on',
    words('on date day channel topic board server host repository page card issue ticket thread device machine website site time start'),
  ],
  ['about', words('subject topic query title question')],
  ['of', words('of name path id location city namespace file project team subject user key')],
  ['named', words('name title label')],
  ['called', words('name title label')],
  ['titled', words('title name subject')],
  ['entitled', words('title name subject')],
  ['labelled', words('label labels tag tags')],
  ['tagged', words('label labels tag tags')],
  ['assigned', words('assignee owner')],
  ['priced', words('price amount')],
  ['by', words('by author user factor amount key count')],
  ['with', words('with body content message label text password value')],
  ['using', words('method model format')],
  ['until', words('end until due to')],
  ['till', words('end until due to')],
  ['before', words('end before until due max')],
  ['after', words('start after since from min')],
  ['since', words('start since after from')],
  ['as', words('as name format alias status role type file')],
  ['saying', words('message text content body comment note')],
  ['says', words('message text content body comment note')],
  ['that', words('message text content body comment note reason observation')],
  ['matching', words('pattern query glob regex filter name')],
  ['containing', words('pattern query text content')],
  ['like', words('pattern query')],
  ['due', words('due deadline date')],
  ['costing', words('price amount cost')],
]);

/** Parameter words whose value is free text: it may go on to the end of the request. */
export const TEXT_WORDS: ReadonlySet<string> = words(
  'message text content body query prompt question note comment description input thought sentence observation observations reason summary task search phrase keywords instruction instructions caption reply q expression command title subject topic name',
);

/** Those of them whose text may hold any word, prepositions too. */
export const LONG_TEXT_WORDS: ReadonlySet<string> = words(
  'message text content body query q search prompt question note comment input thought sentence phrase keywords instruction instructions reply expression command observation observations',
);

/** Words that only say hello. */
export const GREETINGS: ReadonlySet<string> = words('hi hey hello thanks thank');

/** Verbs that ask for the same kind of act: tools and people choose different ones. */
export const ACTS: readonly ReadonlySet<string>[] = [
  words('create add make new open insert register schedule start set write put save store generate book record log'),
  words('list show get browse enumerate display see view give tell all'),
  words('get show read fetch retrieve view look lookup find display check see describe tell load open what'),
  words('delete remove drop erase destroy cancel clear close'),
  words('update change edit modify set rename move replace adjust patch'),
  words('search find look query locate lookup'),
  words('send post write message notify mail email reply tell publish'),
  words('run execute start launch trigger invoke perform'),
  words('stop end cancel halt terminate kill close'),
  words('convert translate transform turn change'),
  words('calculate compute evaluate solve'),
  words('add sum plus total'),
  words('subtract minus difference'),
  words('multiply times product'),
  words('divide quotient ratio'),
];

/** Verbs after which something may be gone. */
export const DESTROYING_WORDS: ReadonlySet<string> = words(
  'delete remove drop erase destroy cancel clear close kill terminate purge wipe reset truncate overwrite uninstall revoke disable deactivate discard empty flush unlink trash',
);

/** Verbs after which something is no longer what it was. */
export const CHANGING_WORDS: ReadonlySet<string> = words(
  'update change edit modify set rename move replace write patch save put run execute merge push restore',
);

/** Verbs that leave all as it is. */
export const READING_WORDS: ReadonlySet<string> = words(
  'list show get read fetch retrieve view look lookup find search browse count describe calculate compute convert translate check',
);

/** Verbs that only add to what there is. */
export const ADDING_WORDS: ReadonlySet<string> = words('add create make new insert register schedule book record log remember send post');

/** Words a question begins with, and the act it asks for. */
export const QUESTIONS: ReadonlyMap<string, string> = new Map([
  ['what', 'list'],
  ['which', 'list'],
]);

/** Currency signs, and the codes that amounts are given in. */
export const CURRENCIES: ReadonlyMap<string, string> = new Map([
  ['$', 'USD'],
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['¥', 'JPY'],
  ['₹', 'INR'],
]);

/** Small numbers people write as words. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'].map((word, at) => [word, at]),
);

export const MONTHS: readonly string[] = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** What people and schemas cut short or call otherwise, in one form. */
export const NORMAL_FORMS: ReadonlyMap<string, string> = new Map([
  ['repo', 'repository'],
  ['repos', 'repository'],
  ['org', 'organization'],
  ['orgs', 'organization'],
  ['organisation', 'organization'],
  ['desc', 'description'],
  ['dir', 'directory'],
  ['folder', 'directory'],
  ['folders', 'directory'],
  ['msg', 'message'],
  ['lat', 'latitude'],
  ['lng', 'longitude'],
  ['lon', 'longitude'],
  ['num', 'number'],
  ['addr', 'address'],
  ['qty', 'quantity'],
  ['img', 'image'],
  ['photo', 'image'],
  ['photos', 'image'],
  ['picture', 'image'],
  ['pictures', 'image'],
  ['info', 'information'],
  ['app', 'application'],
  ['apps', 'application'],
  ['doc', 'documentation'],
  ['docs', 'documentation'],
  ['db', 'database'],
  ['env', 'environment'],
  ['config', 'configuration'],
  ['src', 'source'],
  ['dest', 'destination'],
  ['lang', 'language'],
  ['mail', 'email'],
  ['mails', 'email'],
  ['q', 'query'],
  ['stats', 'statistics'],
  ['temp', 'temperature'],
  ['ticker', 'symbol'],
]);
