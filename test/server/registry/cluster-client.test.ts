import { createServer, type IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emptyRepository } from '../../../domain/registry/engines/empty-cluster.ts'
import type { DistributionEngines } from '../../../domain/registry/engines/distribution-engines.ts'
import { clusterEngines } from '../../../server/registry/cluster-client.ts'
import { listenLocally } from '../../listen-locally.ts'
import { digestOf, ociIndex } from '../../domain/registry/oci-client.ts'

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const repository = { engine: 'eu', path: 'acme/web/app' }

/** Serves a cluster whose answers `answer` makes, and returns its engine and the calls that it got. */
async function madeCluster(answer: (call: string, request: IncomingMessage) => Answer) {
  const calls: string[] = []
  const server = createServer((request, response) => {
    const call = `${request.method} ${request.url?.replace(`/v2/${repository.path}/`, '')}`
    calls.push(call)
    const { body = '', headers = {}, status = 200 } = answer(call, request)
    response.writeHead(status, headers).end(body)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const setting = { name: 'eu', host: 'eu.example', url: `${await listenLocally(server)}/` }
  const tokens = { access: async (...[, access, , service]: readonly unknown[]) => JSON.stringify([service, access]) }
  const engines: DistributionEngines = clusterEngines([setting], tokens, { now: () => 0 })
  return { engines, calls }
}

const tags = (...names: readonly string[]): Answer => ({ body: JSON.stringify({ name: repository.path, tags: names }) })
const manifest = (text: string, headers = { 'docker-content-digest': digestOf(text) }): Answer => ({
  body: text,
  headers,
})

describe('a cluster', () => {
  it('is asked with a token for the one action that the call needs', async () => {
    const seen: unknown[] = []
    const { engines } = await madeCluster((call, { headers }) => {
      seen.push([call.split(' ')[0], headers.authorization])
      if (call === 'GET tags/list') return tags('v1')
      return call.startsWith('DELETE') ? { status: 202 } : manifest('{}')
    })
    await emptyRepository(engines, repository)
    const bearer = (action: string): string =>
      `Bearer ${JSON.stringify(['eu.example', [{ type: 'repository', name: repository.path, actions: [action] }]])}`
    expect(seen.slice(0, 3)).toEqual([
      ['GET', bearer('pull')],
      ['GET', bearer('pull')],
      ['DELETE', bearer('delete')],
    ])
  })

  it('loses the manifests that tags name, and each manifest below an index once', async () => {
    const leaf = '{"config": {}}'
    const inner = JSON.stringify({
      mediaType: ociIndex,
      manifests: [{ digest: digestOf(leaf) }, { digest: digestOf(leaf) }],
    })
    const outer = JSON.stringify({
      mediaType: ociIndex,
      manifests: [{ digest: digestOf(inner) }, { digest: '../secret' }, 7],
    })
    const content = new Map([leaf, inner, outer].map(text => [digestOf(text), text]))
    const { calls, engines } = await madeCluster(call => {
      if (call === 'GET tags/list')
        return content.has(digestOf(outer)) ? tags('v1', '../../other', 'gone') : { body: '{"tags": null}' }
      const [method, reference = ''] = call.replace('manifests/', '').split(' ')
      const text = content.get(reference === 'v1' ? digestOf(outer) : reference)
      if (text === undefined) return { status: 404 }
      if (method === 'GET') return manifest(text)
      content.delete(reference)
      return { status: 202 }
    })
    expect(await emptyRepository(engines, repository)).toBe('empty')
    expect(content.size).toBe(0)
    expect(calls.filter(call => call.startsWith('DELETE'))).toEqual(
      [outer, inner, leaf].map(text => `DELETE manifests/${digestOf(text)}`),
    )
  })

  it('that refuses deletions, or only says that it deletes, is not asked for ever', async () => {
    for (const status of [405, 202]) {
      const { calls, engines } = await madeCluster(call => {
        if (call === 'GET tags/list') return tags('v1')
        return call.startsWith('DELETE') ? { status } : manifest('{}')
      })
      expect(await emptyRepository(engines, repository)).toBe('refused')
      expect(calls.length).toBeLessThan(20)
    }
  })

  it('that has no such repository, or an engine that is not in the settings, has nothing to lose', async () => {
    const { calls, engines } = await madeCluster(() => ({ status: 404 }))
    expect(await emptyRepository(engines, repository)).toBe('empty')
    for (const engine of ['native', 'us'])
      expect(await emptyRepository(engines, { ...repository, engine })).toBe('empty')
    expect(calls).toEqual(['GET tags/list'])
  })

  it.each<readonly [string, Answer, string]>([
    ['refuses the token', { status: 401 }, 'refuses the tokens of the platform; its service must be eu.example'],
    ['fails', { status: 500 }, 'answers with status 500'],
    ['sends elsewhere', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'answers with status 307'],
    ['answers no tags', { body: 'hello' }, ''],
    ['has a manifest without a digest', { body: '{"tags": ["v1"]}' }, 'without the header docker-content-digest'],
  ])('that %s is unavailable, unless it lists nothing', async (_, answer, fault) => {
    const { engines } = await madeCluster(() => answer)
    const emptied = emptyRepository(engines, repository)
    if (fault === '') expect(await emptied).toBe('empty')
    else
      await expect(emptied).rejects.toMatchObject({
        reason: 'ENGINE_UNAVAILABLE',
        message: expect.stringContaining(fault),
      })
  })

  it('whose manifest exceeds 4 MiB is unavailable', async () => {
    const { engines } = await madeCluster(call =>
      call === 'GET tags/list' ? tags('v1') : manifest('x'.repeat(2 ** 22 + 1)),
    )
    await expect(emptyRepository(engines, repository)).rejects.toMatchObject({
      reason: 'ENGINE_UNAVAILABLE',
      message: expect.stringContaining('more than 4194304 bytes'),
    })
  })
})
