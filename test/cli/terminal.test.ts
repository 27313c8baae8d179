import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { painter, terminalOf, widthOf, wrapped } from '../../src/cli/terminal.ts';
import { upstreamName } from '../../src/cli/upstream-name.ts';
import { configSchema } from '../../src/config/schema.ts';

const stream = (tty?: { columns: number }) => ({ isTTY: tty !== undefined, ...tty, write: () => true });

describe('a terminal', () => {
  test('has colours only where it is one, and nobody minds', () => {
    const tty = stream({ columns: 90 });
    expect(terminalOf(tty, tty, {})).toMatchObject({ colours: true, live: true, columns: 90 });
    expect(terminalOf(tty, tty, { NO_COLOR: '1' })).toMatchObject({ colours: false, live: true });
    expect(terminalOf(tty, tty, { TERM: 'dumb' })).toMatchObject({ colours: false, live: false });
    expect(terminalOf(stream(), tty, {})).toMatchObject({ colours: false, live: true, columns: 120 });
    expect(painter({ colours: false })('red', 'text')).toBe('text');
  });

  test('breaks text at blanks and loses none of it', () => {
    const words = fc.array(fc.stringMatching(/^[a-z•/]{1,30}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 10, max: 60 }), fc.constantFrom('', '  ', '      '), (all, columns, indent) => {
        const text = wrapped(`  ${all.join(' ')}`, columns, indent);
        expect(text.split(/\s+/).filter((word) => word !== '')).toEqual(all);
        for (const line of text.split('\n')) expect(widthOf(line) <= columns || line.trim().split(' ').length === 1).toBe(true);
      }),
    );
  });
});

describe('an upstream', () => {
  test.each([
    ['./billing.openapi.yaml', '', 'billing'],
    ['google-speech.v1.discovery.json', '', 'google-speech-v1'],
    ['docs/openapi.json', 'The Billing API', 'the-billing'],
    ['https://api.example.com/v3/openapi.yaml', '', 'example-com'],
    ['2024.json', '', 'service'],
  ])('is called after %s, titled "%s": %s', (document, title, name) => {
    expect(upstreamName(document, { info: { title } })).toBe(name);
  });

  test('has a name that the configuration takes, whatever the document is called', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (file, title) => {
        const name = upstreamName(`/specs/${file}`, { info: { title } });
        expect(configSchema.safeParse({ upstreams: { [name]: { document: 'a.yaml' } } }).success).toBe(true);
      }),
    );
  });
});
