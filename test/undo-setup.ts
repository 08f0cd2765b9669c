import { afterAll } from 'vitest'
import { undoEffects } from './undo.ts'

// A hook of vitest that is registered within another hook never runs, so this one runs for what hooks have opened.
afterAll(undoEffects)
