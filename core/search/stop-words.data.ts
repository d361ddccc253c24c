/** English words that say nothing about what a tool does. Verbs and objects that tools are named by are not among them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about above after again all also am an and another any anyone anything are as at be because been before being below between
  both but by can cannot could did do does doing done down during each either else etc ever every few for from further had has
  have having he hello her here hers hey hi him himself his how however i if in into is it its itself just kindly let lets like
  m may maybe me might mine more most much must my myself need needed needs no nor not now of off ok okay on once one only onto
  or other our ours ourselves out over own per perhaps please re s same shall she should since so some somebody someone something
  still such t than thank thanks that the their theirs them themselves then there these they this those through thus to too
  tool tools toward under until up upon us use used uses using ve very via want wanted wants was we were what when where whether
  which while who whom whose why will with within without would yes yet you your yours yourself`.split(/\s+/),
);
