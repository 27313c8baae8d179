// The way to the services, with a crash point before each request and after each answer.

import type { HttpRequest } from '../../../src/core/http.ts';
import * as real from '../../../src/upstream/client.ts';
import { stepping } from './points.ts';

export const createClient = (options: real.ClientOptions): real.Client =>
  stepping(real.createClient(options), {
    send: ([, request]) => {
      const { method, url } = request as HttpRequest;
      return `send ${method} ${new URL(url).pathname.replace(/\/j-\d+/, '/{id}')}`;
    },
  });
