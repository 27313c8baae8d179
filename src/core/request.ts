// From a tool's arguments to an HTTP request, by a template that the catalogue compiled out of the OpenAPI document.

import type { Json } from './json.ts';

export type ParameterPlace = 'path' | 'query' | 'header' | 'cookie';

/** @see OpenAPI 3.1 §4.8.12.3 Style Values */
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';

export interface ParameterBinding {
  /** Member of the tool's arguments. */
  readonly argument: string;
  /** Name on the wire. */
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  readonly required: boolean;
  /** RFC 6570 reserved expansion, or `{+name}`: '/' and other reserved characters stay as they are. */
  readonly allowReserved: boolean;
  /** Serialised as this media type instead of by style (a parameter with `content`). */
  readonly mediaType?: string;
}

export interface BodyBinding {
  /** Without parameters, lower case. */
  readonly mediaType: string;
  readonly required: boolean;
  /** `member`: the whole body is one argument. `spread`: each listed argument is a member of a JSON or form object. */
  readonly from:
    | { readonly kind: 'member'; readonly argument: string }
    | { readonly kind: 'spread'; readonly members: readonly { readonly argument: string; readonly name: string }[] };
  /** Members of a form that are written as a query parameter of that style would be. @see OpenAPI 3.1 §4.8.15 Encoding Object */
  readonly encoding?: Readonly<Record<string, { readonly style: ParameterStyle; readonly explode: boolean }>>;
  /** Members of a multipart form that are more than their plain values. */
  readonly parts?: Readonly<Record<string, PartBinding>>;
}

/** How one member of a multipart form is written. */
export interface PartBinding {
  /** Its texts are files, as core/files.ts reads them. */
  readonly file: boolean;
  /** Content-Type of its parts; absent: what the file is, or the value. */
  readonly mediaType?: string;
}

export interface RequestTemplate {
  readonly method: string;
  /** Absolute; without query or fragment; no trailing slash. */
  readonly server: string;
  /** As in the document: `/users/{id}` or `/v1/{+name}:wait`. */
  readonly path: string;
  readonly parameters: readonly ParameterBinding[];
  readonly body?: BodyBinding;
  /** Sent as they are, e.g. `Prefer: respond-async`, and a query or body constant that the overlay fixes. */
  readonly headers: readonly (readonly [string, string])[];
  readonly query: readonly (readonly [string, string])[];
  readonly bodyConstants: readonly { readonly pointer: string; readonly value: Json }[];
  readonly accept: string;
  readonly security?: readonly string[];
}
