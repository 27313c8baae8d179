// Every handshake that is not its scheme's own. Adding one is its file and one line here.

export { echo } from './echo.ts';
export { hmacAnswer } from './hmac.ts';
export { probe } from './probe.ts';
