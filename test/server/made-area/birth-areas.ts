import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { notes } from './yard-kinds.ts'
import { yardArea } from './yard.ts'

/**
 * Returns the id of the note that the yard inserts for a new workspace; the store refuses a second note with this id.
 */
export const bornNote = (workspace: string): string => `born/${workspace}`

/**
 * Returns iam, the taxonomy and a yard that inserts a note for each new workspace; the yard calls `told` within the
 * transaction.
 */
export const birthAreas = (told: (workspace: string) => void = () => {}): readonly AreaModule[] => [
  ...areas.filter(({ domain }) => ['iam', 'taxonomy'].includes(domain.name)),
  yardArea(
    {},
    {
      hooks: () => ({
        async workspaceCreated(tx, workspace_id) {
          await tx.insert(notes, { id: bornNote(workspace_id), workspace_id })
          told(workspace_id)
        },
      }),
    },
  ),
]
