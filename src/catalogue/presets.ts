// Presets: descriptions that many services share, as data files of the package, named `name@version`.
//   P1. A version that is out never changes: a better one is added beside it, so that nothing shifts under who named it.
//   P2. What is written beside `preset` wins, member by member; a list replaces a list.
//   P3. A request that says which one it is keeps nothing of the preset's address.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts';

/** In the package, seen from its source, or from what was built of it a folder deeper. */
const FOLDERS = ['../../specs/presets', '../../../specs/presets'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const FILE = /^(.+)\.yaml$/;
/** Members that say where a request goes. */
const ADDRESS = ['operation', 'url', 'method'];

let loaded: ReadonlyMap<string, JsonObject> | undefined;

/** Every preset by `name@version`. Read when the first one is named. */
export function presets(): ReadonlyMap<string, JsonObject> {
  if (loaded === undefined) {
    const folder = FOLDERS.find((path) => existsSync(path));
    if (folder === undefined) throw new Error('this installation lacks its folder specs/presets');
    loaded = new Map(readdirSync(folder).flatMap((file) => versionsIn(folder, file)));
  }
  return loaded;
}

function versionsIn(folder: string, file: string): [string, JsonObject][] {
  const name = FILE.exec(file)?.[1];
  if (name === undefined) return [];
  const { versions } = parse(readFileSync(join(folder, file), 'utf8')) as { versions: Record<string, JsonObject> };
  return Object.entries(versions).map(([version, description]) => [`${name}@${version}`, description]);
}

/** A description with what its preset says; `undefined` where there is no preset of that name. */
export function withPreset(written: JsonObject, name: string): JsonObject | undefined {
  const preset = presets().get(name);
  const { preset: _named, ...own } = written;
  return preset === undefined ? undefined : merged(preset, own);
}

function merged(preset: JsonObject, own: JsonObject): JsonObject {
  const addressed = ADDRESS.some((member) => own[member] !== undefined && member !== 'method');
  const kept = Object.entries(preset).filter(([member]) => !(addressed && ADDRESS.includes(member)));
  const members = Object.entries(own).map(([member, value]): [string, Json] => {
    const before = preset[member];
    return [member, isJsonObject(before) && isJsonObject(value) ? merged(before, value) : value];
  });
  return Object.fromEntries([...kept, ...members]);
}
