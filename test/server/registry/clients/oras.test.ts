import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sharedRegistry } from '../../../domain/registry/plane/shared-registry.ts'
import { hasPrograms, manyPrograms, ociPrograms, type OciPrograms } from './oci-programs.ts'

describe.runIf(hasPrograms('oras', 'oras'))('oras', manyPrograms, () => {
  const registry = sharedRegistry()
  let programs: OciPrograms
  let web: string

  beforeEach(async () => {
    const { api, url, workspace } = registry()
    programs = ociPrograms()
    programs.signIn((await api.registry.getCredentials({ workspace, engine: 'native' })).docker_config)
    web = `${new URL(url).host}/acme/web`
  })

  const oras = (...args: readonly string[]) => programs.run('oras', ...args)
  const plain = '--plain-http'

  const fileOf = (name: string, text: string): string => {
    writeFileSync(join(programs.folder, name), text)
    return name
  }

  const digestOf = async (reference: string): Promise<string> =>
    JSON.parse(await oras('manifest', 'fetch', '--descriptor', plain, reference)).digest

  it('pushes an artifact, attaches referrers, finds, copies and deletes both', async () => {
    const { api, repository, workspace } = registry()
    const things = await repository('things')
    await repository('copies')
    const thing = `${web}/things:v1`
    const type = 'application/vnd.example.thing'
    await oras('push', plain, thing, '--artifact-type', type, `${fileOf('data.txt', 'data\n')}:text/plain`)
    const attached = ['application/vnd.cyclonedx+json', 'application/vnd.example.signature']
    for (const [number, kind] of attached.entries())
      await oras('attach', plain, thing, '--artifact-type', kind, `${fileOf(`about-${number}`, kind)}:text/plain`)
    const artifact = await api.registry.getArtifact({ workspace, repository: things, reference: 'v1' })
    expect(artifact).toMatchObject({ kind: 'REGISTRY_ARTIFACT_KIND_ARTIFACT', artifact_type: type })
    expect(artifact.referrers.map(({ artifact_type }) => artifact_type).toSorted()).toEqual(attached)
    const kindsOf = async (reference: string, ...more: readonly string[]): Promise<readonly string[]> => {
      const { referrers } = JSON.parse(await oras('discover', plain, '--format', 'json', ...more, reference))
      return referrers.map(({ artifactType }: { artifactType: string }) => artifactType).toSorted()
    }
    expect(await kindsOf(thing)).toEqual(attached)
    expect(await kindsOf(thing, '--artifact-type', attached[1] ?? '')).toEqual([attached[1]])
    const both = ['--from-plain-http', '--to-plain-http'] as const
    await oras('copy', '--recursive', ...both, thing, `${web}/copies:v1`)
    expect(await kindsOf(`${web}/copies:v1`)).toEqual(attached)
    mkdirSync(join(programs.folder, 'pulled'))
    await oras('pull', plain, '--output', 'pulled', `${web}/copies:v1`)
    expect(readFileSync(join(programs.folder, 'pulled/data.txt'), 'utf8')).toBe('data\n')
    expect((await oras('repo', 'ls', plain, new URL(registry().url).host)).split('\n')).toEqual(
      expect.arrayContaining(['acme/web/things', 'acme/web/copies']),
    )
    await oras('manifest', 'delete', plain, '--force', thing)
    expect(await programs.refused('oras', 'pull', plain, thing)).toContain('not found')
  })

  it('pushes a chart as helm does, and tags it', async () => {
    const { api, repository, workspace } = registry()
    const charts = await repository('charts/web')
    const chart = `${web}/charts/web:1.0.0`
    const config = JSON.stringify({ apiVersion: 'v2', name: 'web', version: '1.0.0' })
    await oras(
      'push',
      plain,
      chart,
      '--config',
      `${fileOf('config.json', config)}:application/vnd.cncf.helm.config.v1+json`,
      `${fileOf('web-1.0.0.tgz', 'the bytes of a chart')}:application/vnd.cncf.helm.chart.content.v1.tar+gzip`,
    )
    await oras('tag', plain, chart, 'latest')
    expect(await oras('repo', 'tags', plain, `${web}/charts/web`)).toBe('1.0.0\nlatest')
    const artifact = await api.registry.getArtifact({ workspace, repository: charts, reference: 'latest' })
    expect(artifact).toMatchObject({
      digest: await digestOf(chart),
      kind: 'REGISTRY_ARTIFACT_KIND_ARTIFACT',
      layers: [{ media_type: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' }],
    })
    await oras('pull', plain, '--output', 'chart', chart)
    expect(readFileSync(join(programs.folder, 'chart/web-1.0.0.tgz'), 'utf8')).toBe('the bytes of a chart')
  })

  it('signs in with an access token, and a wrong password is refused', async () => {
    const { accessToken, url } = registry()
    const { host } = new URL(url)
    await oras('logout', host)
    const login = (password: string) => ['login', host, plain, '--username', 'token', '--password', password]
    expect(await programs.refused('oras', ...login('wrong'))).toContain('the password is not valid')
    expect(await oras(...login(accessToken))).toContain('Login Succeeded')
    expect(await oras('repo', 'tags', plain, `${web}/first`)).toBe('')
  })
})
