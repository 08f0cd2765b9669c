import { describe, expect, it } from 'vitest'
import type { Labels } from '../../../../../domain/observability/metrics/samples.ts'
import { parseQuery } from '../../../../../domain/observability/promql/language/parse.ts'
import { graphQueries, isOwnEdge } from '../../../../../domain/observability/stacks/graphs/graph-queries.ts'

const [mine, theirs] = ['01a2210c-c3ad-71cd-b4c5-a4a681bcdff3', '01a2210c-c3ad-71cd-b4c5-a4a681bcdff4'] as const

describe('the queries for a service graph', () => {
  it('are PromQL that selects the workspace in every selector', () => {
    const { calls, client, failed, server } = graphQueries(3_600_000, mine)
    for (const text of [calls, client, failed, server]) {
      expect(() => parseQuery(text)).not.toThrow()
      for (const [selector] of text.matchAll(/\{[^}]*\}/g)) expect(selector).toContain(`workspace_id="${mine}"`)
      // A series that came through the platform belongs to the workspace of its sender, whatever dimensions it has.
      for (const [selector] of text.matchAll(/\{[^}]*(?:client|server)_workspace_id[^}]*\}/g))
        expect(selector).toContain(',workspace_id="",')
    }
  })

  it('name no workspace for a store with tenants', () => {
    expect(graphQueries(60_000, undefined)).toEqual({
      calls:
        'sum by (client,server,connection_type,virtual_node) ' +
        '(increase({__name__="traces_service_graph_request_total"}[60000ms]))',
      failed:
        'sum by (client,server,connection_type,virtual_node) ' +
        '(increase({__name__="traces_service_graph_request_failed_total"}[60000ms]))',
      client:
        'sum by (client,server,connection_type,virtual_node,le) ' +
        '(increase({__name__="traces_service_graph_request_client_seconds_bucket"}[60000ms])' +
        ' or increase({__name__="traces_service_graph_request_client_bucket"}[60000ms]))',
      server:
        'sum by (client,server,connection_type,virtual_node,le) ' +
        '(increase({__name__="traces_service_graph_request_server_seconds_bucket"}[60000ms])' +
        ' or increase({__name__="traces_service_graph_request_server_bucket"}[60000ms]))',
    })
  })

  it.each<readonly [string, Labels, boolean]>([
    ['came through the platform', { workspace_id: mine }, true],
    ['came through the platform with other dimensions', { workspace_id: mine, client_workspace_id: theirs }, true],
    ['came through the platform for another', { workspace_id: theirs, client_workspace_id: mine }, false],
    ['has both sides in it', { client_workspace_id: mine, server_workspace_id: mine }, true],
    ['has a caller in it', { client_workspace_id: mine }, true],
    ['has a callee in it', { server_workspace_id: mine }, true],
    ['has a caller in another', { client_workspace_id: theirs, server_workspace_id: mine }, false],
    ['has a callee in another', { client_workspace_id: mine, server_workspace_id: theirs }, false],
    ['names no workspace', {}, false],
  ])('get an edge that %s: %j is own: %s', (_what, given, isOwn) => {
    expect(isOwnEdge({ client: 'web', ...given }, mine)).toBe(isOwn)
    expect(isOwnEdge({ client: 'web', ...given }, undefined)).toBe(true)
  })
})
