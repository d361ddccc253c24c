/** What a parameter takes: nothing, a text that is only compared or shown, a number, a path, or a path that is no pattern. */
type Takes = 'switch' | 'text' | 'number' | 'path' | 'literal-path';

/** A cmdlet that only reads, whatever it is given of this. */
export interface Cmdlet {
  /** By lower-case name. */
  readonly parameters: Readonly<Record<string, Takes>>;
  /** What stands without a name, in order; the last takes all that follow where `more` says so. */
  readonly positions: readonly Takes[];
  readonly more?: true;
  /** Reads the folder it is in where no path is given. */
  readonly here?: true;
}

const path = { path: 'path', literalpath: 'literal-path' } as const;

/** The cmdlets that are known to only read, with the parameters for which that was looked up; anything else is asked about. */
export const READING_CMDLETS: Readonly<Record<string, Cmdlet>> = {
  'Get-ChildItem': {
    parameters: {
      ...path,
      filter: 'text',
      include: 'text',
      exclude: 'text',
      recurse: 'switch',
      depth: 'number',
      force: 'switch',
      name: 'switch',
      file: 'switch',
      directory: 'switch',
      hidden: 'switch',
    },
    positions: ['path', 'text'],
    here: true,
  },
  'Get-Content': {
    parameters: {
      ...path,
      totalcount: 'number',
      head: 'number',
      first: 'number',
      tail: 'number',
      last: 'number',
      raw: 'switch',
      encoding: 'text',
    },
    positions: ['path'],
  },
  'Get-Location': { parameters: {}, positions: [] },
  'Get-Item': { parameters: { ...path, force: 'switch' }, positions: ['path'] },
  'Get-FileHash': { parameters: { ...path, algorithm: 'text' }, positions: ['path'] },
  'Get-Date': { parameters: { format: 'text', uformat: 'text' }, positions: [] },
  'Test-Path': { parameters: { ...path, pathtype: 'text' }, positions: ['path'] },
  'Resolve-Path': { parameters: { ...path, relative: 'switch' }, positions: ['path'] },
  'Select-String': {
    parameters: {
      ...path,
      pattern: 'text',
      simplematch: 'switch',
      casesensitive: 'switch',
      notmatch: 'switch',
      allmatches: 'switch',
      quiet: 'switch',
      list: 'switch',
      context: 'number',
      encoding: 'text',
    },
    positions: ['text', 'path'],
  },
  'Measure-Object': {
    parameters: {
      line: 'switch',
      word: 'switch',
      character: 'switch',
      sum: 'switch',
      average: 'switch',
      maximum: 'switch',
      minimum: 'switch',
    },
    positions: [],
  },
  'Select-Object': {
    parameters: { first: 'number', last: 'number', skip: 'number', unique: 'switch', expandproperty: 'text' },
    positions: ['text'],
  },
  'Sort-Object': { parameters: { descending: 'switch', unique: 'switch', property: 'text' }, positions: ['text'] },
  'Write-Output': { parameters: { inputobject: 'text' }, positions: ['text'], more: true },
  'Out-String': { parameters: { width: 'number' }, positions: [] },
};

/**
 * Short names that mean a cmdlet on every system. Those that are programs on some (`ls`, `cat`, `sort`) grant nothing; rules that
 * restrict see the cmdlet behind all of them.
 */
export const SAFE_ALIASES: Readonly<Record<string, string>> = {
  gci: 'Get-ChildItem',
  gc: 'Get-Content',
  gl: 'Get-Location',
  gi: 'Get-Item',
  sls: 'Select-String',
  measure: 'Measure-Object',
  rvpa: 'Resolve-Path',
};
export const OTHER_ALIASES: Readonly<Record<string, string>> = {
  dir: 'Get-ChildItem',
  ls: 'Get-ChildItem',
  cat: 'Get-Content',
  type: 'Get-Content',
  pwd: 'Get-Location',
  echo: 'Write-Output',
  write: 'Write-Output',
  sort: 'Sort-Object',
  select: 'Select-Object',
  ri: 'Remove-Item',
  rm: 'Remove-Item',
  rmdir: 'Remove-Item',
  rd: 'Remove-Item',
  del: 'Remove-Item',
  erase: 'Remove-Item',
  iex: 'Invoke-Expression',
  icm: 'Invoke-Command',
  iwr: 'Invoke-WebRequest',
  wget: 'Invoke-WebRequest',
  curl: 'Invoke-WebRequest',
  irm: 'Invoke-RestMethod',
  saps: 'Start-Process',
  start: 'Start-Process',
  sc: 'Set-Content',
  ac: 'Add-Content',
  ni: 'New-Item',
  mi: 'Move-Item',
  mv: 'Move-Item',
  move: 'Move-Item',
  ci: 'Copy-Item',
  cp: 'Copy-Item',
  copy: 'Copy-Item',
  cpi: 'Copy-Item',
};
