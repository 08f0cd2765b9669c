import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sharedRegistry } from '../../../domain/registry/plane/shared-registry.ts'
import { hasPrograms, makeLayout, manyPrograms, ociPrograms, type OciPrograms } from './oci-programs.ts'

describe.runIf(hasPrograms('skopeo', 'skopeo', 'umoci'))('skopeo', manyPrograms, () => {
  const registry = sharedRegistry()
  let programs: OciPrograms
  let password: string
  let web: string

  beforeEach(async () => {
    const { api, url, workspace } = registry()
    programs = ociPrograms()
    const credentials = await api.registry.getCredentials({ workspace, engine: 'native' })
    programs.signIn(credentials.docker_config)
    ;({ password } = credentials)
    web = `${new URL(url).host}/acme/web`
  })

  const anyTls = ['--tls-verify=false'] as const
  const copyAny = ['copy', '--quiet', '--src-tls-verify=false', '--dest-tls-verify=false'] as const
  const skopeo = (...args: readonly string[]) => programs.run('skopeo', ...args)

  it('pushes an image with the credentials of the API, and an unknown repository is refused', async () => {
    const { api, repository, workspace } = registry()
    const api1 = await repository('api')
    await makeLayout(programs, 'layout', 'v1')
    const push = (name: string) => [...copyAny, 'oci:layout:v1', `docker://${web}/${name}:v1`, '--dest-creds']
    await skopeo(...push('api'), `token:${password}`)
    const { Digest: digest } = JSON.parse(await skopeo('inspect', ...anyTls, `docker://${web}/api:v1`))
    const { artifacts } = await api.registry.listArtifacts({ workspace, repository: api1 })
    expect(artifacts).toMatchObject([{ digest, kind: 'REGISTRY_ARTIFACT_KIND_IMAGE', tags: [{ name: 'v1' }] }])
    const filter = `action = REGISTRY_AUDIT_ACTION_PUSH AND repository_id = "${api1}"`
    const { audit_events } = await api.registry.listAuditEvents({ workspace, filter })
    expect(audit_events).toMatchObject([{ digest, outcome: 'REGISTRY_AUDIT_OUTCOME_SUCCEEDED' }])
    const refusal = await programs.refused('skopeo', ...push('nope'), `token:${password}`)
    expect(refusal).toContain('name unknown: there is no such repository')
    expect(await programs.refused('skopeo', ...push('api'), 'token:wrong')).toContain('invalid username/password')
    const anonymous = ['--dest-no-creds', ...push('api').slice(4, 6)] as const
    expect(await programs.refused('skopeo', ...copyAny, ...anonymous)).toContain('403 (Forbidden)')
  })

  it('pulls what umoci unpacks to the same bytes', async () => {
    await registry().repository('unpacked')
    const text = 'the same bytes\n'.repeat(50_000)
    await makeLayout(programs, 'layout', 'v1', { text })
    await skopeo(...copyAny, 'oci:layout:v1', `docker://${web}/unpacked:v1`)
    await skopeo(...copyAny, `docker://${web}/unpacked:v1`, 'oci:pulled:v1')
    await programs.run('umoci', 'unpack', '--rootless', '--image', 'pulled:v1', 'bundle')
    expect(readFileSync(join(programs.folder, 'bundle/rootfs/hello.txt'), 'utf8')).toBe(text)
    const digestIn = (layout: string): string =>
      JSON.parse(readFileSync(join(programs.folder, layout, 'index.json'), 'utf8')).manifests[0].digest
    expect(digestIn('pulled')).toBe(digestIn('layout'))
  })

  it('signs in and out, lists tags, synchronises repositories, and deletes', async () => {
    const { repository } = registry()
    await repository('synced')
    await repository('mirror/synced')
    await makeLayout(programs, 'layout', 'v1')
    const { host } = new URL(registry().url)
    await skopeo('logout', host)
    const target = `docker://${web}/synced`
    expect(await programs.refused('skopeo', 'list-tags', ...anyTls, target)).toContain('403 (Forbidden)')
    expect(await programs.refused('skopeo', 'login', ...anyTls, '-u', 'token', '-p', 'wrong', host)).toContain(
      'invalid username/password',
    )
    expect(await skopeo('login', ...anyTls, '-u', 'token', '-p', password, host)).toBe('Login Succeeded!')
    for (const tag of ['v1', 'v2']) await skopeo(...copyAny, 'oci:layout:v1', `${target}:${tag}`)
    const tagsOf = async (name: string) =>
      JSON.parse(await skopeo('list-tags', ...anyTls, `docker://${web}/${name}`)).Tags
    expect(await tagsOf('synced')).toEqual(['v1', 'v2'])
    const plain = ['--src-tls-verify=false', '--dest-tls-verify=false'] as const
    await skopeo('sync', '--src', 'docker', '--dest', 'docker', ...plain, `${web}/synced`, `${web}/mirror`)
    expect(await tagsOf('mirror/synced')).toEqual(['v1', 'v2'])
    await skopeo('delete', ...anyTls, `docker://${web}/mirror/synced:v1`)
    expect(await tagsOf('mirror/synced')).toEqual([])
  })
})
