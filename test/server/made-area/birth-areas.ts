import type { AreaModule } from '../../../server/area.ts'
import { areas } from '../../../server/areas.ts'
import { notes } from './yard-kinds.ts'
import { yardArea } from './yard.ts'

/** The yard's actions in a workspace; the store refuses a note that is made twice. */
export const bornNote = (workspace: string): string => `born/${workspace}`

/** The areas that stand, and a yard that notes each new workspace once; `told` is called within the transaction. */
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
