// What an upstream is called when nobody has said: by its document's file name, else by its title.

import { isUrl } from '../catalogue/load.ts';
import { isJsonObject, type Json } from '../core/json.ts';

/** Names that say what kind of file it is, and not of which service. */
const GENERIC = /^(open-?api|swagger|api|api-?docs?|spec|specification|docs?|index|schema|service|v?\d+)$/i;
const NAME_MAX = 40;

/** A name that the configuration takes. `openapi.yaml` is called by its title. */
export function upstreamName(document: string, root: Json): string {
  const path = isUrl(document) ? new URL(document).pathname : document;
  const file = path.split(/[/\\]/).at(-1) ?? '';
  const bare = file.replace(/\.(json|ya?ml)$/i, '').replace(/[._-](openapi|swagger|oas\d*|api|discovery|spec)$/i, '');
  const info = isJsonObject(root) ? root['info'] : undefined;
  const title = isJsonObject(info) && typeof info['title'] === 'string' ? info['title'].replace(/\bapi\b/gi, '') : '';
  const host = isUrl(document) ? new URL(document).hostname.replace(/^(www|api)\./, '') : '';
  const candidates = [GENERIC.test(bare) ? '' : bare, title, host].map(fitted);
  return candidates.find((name) => name !== '') ?? 'service';
}

/** In the configuration's alphabet, beginning with a letter. */
const fitted = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, NAME_MAX)
    .replace(/-+$/, '');
