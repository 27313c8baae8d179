// No Tasks at all: protocol versions that never had them, and versions whose Tasks the operator has not switched on.
// A job is waited for on the call itself; what outlasts the wait is answered as pending, with a handle for the companion tools.

import { askBack, type Contract, elicitation, refuse, showsForms, toolResult } from './contract.ts';

const taskless = (
  leg: Contract['leg'],
  protocolVersions: readonly string[],
  asking: Pick<Contract, 'ask' | 'askBack'>,
): Contract => ({
  id: 'none',
  leg,
  protocolVersions,
  signs: (capabilities) => ({ tasks: false, forms: showsForms(capabilities) }),
  admit(tool, _params, _client, policy) {
    if (tool.kind === 'call') return { as: 'call' };
    if (tool.taskSupport !== 'required' || policy.taskless === 'serve') return { as: 'inline' };
    return refuse(-32601, `${tool.name} runs as a task only, and this client has no Tasks.`);
  },
  entry: () => ({}),
  result: toolResult,
  ...asking,
});

export const tasklessSession = taskless('session', ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'], {
  ask: (question) => elicitation(question),
});
export const tasklessRequest = taskless('request', ['2026-07-28'], { askBack });
