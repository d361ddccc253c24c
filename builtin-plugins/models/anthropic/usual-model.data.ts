/** The model that is asked where nobody names one. */
export const USUAL_MODEL = 'claude-sonnet-5-5';
