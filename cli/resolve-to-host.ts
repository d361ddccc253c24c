type Next<Context, Answer> = (specifier: string, context: Context) => Answer;

/** A resolve hook: `pegboard` and `pegboard/*` mean the package this file lies in, whoever imports them; all else is as it was. */
export function resolve<Context extends { readonly parentURL?: string | undefined }, Answer>(
  specifier: string,
  context: Context,
  next: Next<Context, Answer>,
): Answer {
  const ours = specifier === 'pegboard' || specifier.startsWith('pegboard/');
  return next(specifier, ours ? { ...context, parentURL: import.meta.url } : context);
}
