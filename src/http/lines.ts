// Lines of a byte stream, each of bounded length.
//   B1. Of a line that is too long nothing is kept but that there was one: the next begins behind its end.
//   B2. A line is text only when it is whole, so that a character that came in two pieces stays one.

import type { Readable } from 'node:stream';

const LINE_FEED = 0x0a;

export interface LineReader {
  /** Without its line feed, or the carriage return before it. */
  line(text: string): void;
  tooLong(): void;
  end(): void;
}

/** Reads until the input ends, or until the answer is called. @param bytesMax Of one line. */
export function readLines(input: Readable, bytesMax: number, reader: LineReader): () => void {
  let pieces: Buffer[] = [];
  let bytes = 0;

  const keep = (piece: Buffer) => {
    bytes += piece.length;
    if (bytes > bytesMax) pieces = [];
    else pieces.push(piece);
  };
  const finish = () => {
    const [isTooLong, text] = [bytes > bytesMax, Buffer.concat(pieces).toString('utf8')];
    [pieces, bytes] = [[], 0];
    if (isTooLong) reader.tooLong();
    else reader.line(text.endsWith('\r') ? text.slice(0, -1) : text);
  };
  const take = (chunk: Buffer | string) => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    for (let at = rest.indexOf(LINE_FEED); at >= 0; at = rest.indexOf(LINE_FEED)) {
      keep(rest.subarray(0, at));
      finish();
      rest = rest.subarray(at + 1);
    }
    if (rest.length > 0) keep(rest);
  };
  const stop = () => {
    input.off('data', take).off('end', end).off('close', end).pause();
  };
  const end = () => {
    stop();
    if (bytes > 0) finish();
    reader.end();
  };
  input.on('data', take).once('end', end).once('close', end);
  return stop;
}
