// The Link header: which links an answer has beside its body.
// @see RFC 8288 §3

/** One link: `<target>` and what follows it, up to a comma that is in neither the target nor a quoted text. */
const LINK = /<([^>]*)>((?:\s*;\s*[\w!#$%&'*+.^`|~-]+(?:\s*=\s*(?:"(?:[^"\\]|\\.)*"|[^\s",;]*))?)*)/g;
const PARAMETER = /;\s*([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?/g;

/** The target of the first link with a relation, as it was written; `undefined` where there is none. */
export function linkTo(relation: string, header: string | undefined): string | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(LINK)) {
    const named = new Map(
      [...parameters.matchAll(PARAMETER)]
        .reverse() // of a parameter that is there twice the first counts
        .map(([, name = '', quoted, bare]) => [name.toLowerCase(), quoted ?? bare ?? ''] as const),
    );
    // A link with an anchor is about something else than this answer.
    const relations = named.has('anchor') ? [] : (named.get('rel') ?? '').toLowerCase().split(/\s+/);
    if (relations.includes(relation)) return target.trim();
  }
  return undefined;
}
