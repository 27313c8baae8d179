// A secret that was read: usable, and never printed by accident.

import type { Secret } from './config.ts';

const SHOWN = '•••';

/** Every way in which Node or JavaScript turns a value into text gives `•••`; only `reveal()` gives the secret. */
class HeldSecret implements Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    Object.freeze(this);
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return SHOWN;
  }

  toJSON(): string {
    return SHOWN;
  }

  [Symbol.toPrimitive](): string {
    return SHOWN;
  }

  /** @see https://nodejs.org/api/util.html#utilinspectcustom */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return SHOWN;
  }
}

export const holdSecret = (text: string): Secret => new HeldSecret(text);
