// One variant of the answer is a receipt: nothing but an id, beside a variant that is the result.

import { successes } from '../handle.ts';
import { isScalar } from '../shapes.ts';
import type { Rule } from './rule.ts';

const ID = /(^|_|[a-z])(id|uuid|handle)$/i;
/** A receipt may carry a word or two beside the id. */
const MEMBERS_MAX = 2;

export const receipt: Rule = {
  name: 'receipt',
  look: ({ facts, survey }) => {
    for (const { shape, status, node } of successes(facts)) {
      const variants = shape?.variants ?? [];
      const isReceipt = (index: number) => {
        const variant = variants[index];
        if (variant === undefined || variant.members.size === 0 || variant.members.size > MEMBERS_MAX) return false;
        return [...variant.members.keys()].some((name) => ID.test(name) && isScalar(survey.shapes.member(variant, name)));
      };
      const found = variants.length > 1 && variants.some((_variant, index) => isReceipt(index));
      if (found && variants.some((_variant, index) => !isReceipt(index))) {
        return { score: 30, pointer: node.pointer, says: `${status} answers with the result, or with a receipt for it` };
      }
    }
    return undefined;
  },
};
