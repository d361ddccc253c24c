export { isCatalogue, readCatalogue, sourceIn } from './catalogue.ts';
export type { Catalogue, CatalogueEntry } from './catalogue.ts';
export { isSecret, optionComplaint } from './options.ts';
export { packedName, packedPlugin } from './plugin.ts';
export type { PackedUse } from './plugin.ts';
export type { PackedProblem } from './problem.ts';
export { isPacked, readPacked } from './read-folder.ts';
export type { PackedContents, PackedSource, ReadPacked } from './read-folder.ts';
export { unpackPlugin } from './unpack.ts';
