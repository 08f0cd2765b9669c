import type { NetworkArea } from '../../../output/network/area.ts'
import type { LogicalPortHandlers } from '../../../output/network/handlers.ts'
import type { Parts } from '../../ports/area-parts.ts'
import { requirePlace } from '../../resources/find-rows.ts'
import { jsonText, withMembers } from '../../resources/json-text.ts'
import { Rows } from '../../resources/rows.ts'
import { effectiveRulesOf } from '../firewall/effective-rules.ts'
import { portKind } from './port-kind.ts'
import { portCollection } from './ports-store.ts'

/** The JSON member `effective_rules` of a port in a list. The rules are empty, because a list does not compute them. */
const noRules = jsonText({ effective_rules: [] })

/** Returns the handlers of logical ports, which only read. */
export function ports(parts: Parts<NetworkArea>): LogicalPortHandlers {
  const { store, taxonomy } = parts
  const rows = new Rows(portKind, parts)
  return {
    async listLogicalPorts(request, { query }) {
      const { engine, workspace } = request
      const page = await store.page(portCollection, query, { workspace_id: workspace, engine })
      if (page.items.length === 0) await requirePlace(store, taxonomy, portKind, { workspace, engine })
      return { ...page, items: page.items.map(({ text }) => withMembers(text, noRules)) }
    },
    async getLogicalPort(request) {
      const { text, value } = await rows.read(request)
      return withMembers(text, { effective_rules: await store.snapshot(reader => effectiveRulesOf(reader, value)) })
    },
  }
}
