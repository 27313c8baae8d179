// The service behind the gateway, as a process of its own: Node's bare HTTP server, so that it costs as little as possible.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let jobs = 0;
let polls = 0;

const server = createServer((request, response) => {
  const { method, url = '' } = request;
  const answer = (status: number, body: object, headers: Record<string, string> = {}) => {
    const text = JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers });
    response.end(text);
  };
  request.resume();
  request.once('end', () => {
    if (method === 'POST' && url === '/jobs') {
      const id = `j-${++jobs}`;
      return answer(202, { id, status: 'running' }, { Location: `/jobs/${id}` });
    }
    if (url.startsWith('/jobs/')) {
      polls += 1;
      return answer(200, { id: url.slice('/jobs/'.length), status: 'running' });
    }
    if (url.startsWith('/months/')) return answer(200, { month: url.slice('/months/'.length), closed: true, bookings: 156 });
    if (url === '/polls') return answer(200, { polls });
    answer(404, {});
  });
});

server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
