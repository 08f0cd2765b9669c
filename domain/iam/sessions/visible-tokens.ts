import { seenBy, type VisibleRows } from '../../ports/access.ts'
import type { Narrowing } from '../../ports/store.ts'

/** Narrows a list to the tokens that a caller sees: its own, and those of principals at home at its visible scopes. */
export const seenTokens = (visible: VisibleRows, caller: string): Narrowing =>
  visible === 'everything' ? {} : [seenBy(visible, 'home_id'), { principal_id: caller }]
