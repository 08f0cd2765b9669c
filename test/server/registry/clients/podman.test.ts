import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { sharedRegistry } from '../../../domain/registry/plane/shared-registry.ts'
import { hasPrograms, manyPrograms, ociPrograms, type OciPrograms } from './oci-programs.ts'

const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('podman and buildah are not tested here: without root they need subordinate user ids')

const hasAll = hasPrograms('podman', 'podman', 'buildah', 'skopeo')

describe.runIf(isRoot && hasAll)('podman and buildah', manyPrograms, () => {
  const registry = sharedRegistry()
  let programs: OciPrograms
  let web: string

  beforeEach(async () => {
    const { api, url, workspace } = registry()
    programs = ociPrograms()
    programs.signIn((await api.registry.getCredentials({ workspace, engine: 'native' })).docker_config)
    web = `${new URL(url).host}/acme/web`
  })

  const anyTls = '--tls-verify=false'

  /** Builds an image of one file for a platform, and returns its local name. */
  async function build(architecture: string): Promise<string> {
    const name = `localhost/hello:${architecture}`
    writeFileSync(join(programs.folder, 'hello.txt'), `hello ${architecture}\n`)
    const container = await programs.run('buildah', 'from', 'scratch')
    await programs.run('buildah', 'copy', '--quiet', container, 'hello.txt', '/hello.txt')
    await programs.run('buildah', 'config', '--os', 'linux', '--arch', architecture, container)
    await programs.run('buildah', 'commit', '--quiet', '--rm', container, name)
    return name
  }

  it('push an index of two platforms, which podman pulls and skopeo copies as a whole', async () => {
    const { api, repository, workspace } = registry()
    const multi = await repository('multi')
    await repository('copied')
    await programs.run('buildah', 'manifest', 'create', 'both')
    const platforms = ['amd64', 'arm64']
    for (const architecture of platforms)
      await programs.run('buildah', 'manifest', 'add', 'both', await build(architecture))
    await programs.run('buildah', 'manifest', 'push', '--quiet', '--all', anyTls, 'both', `docker://${web}/multi:all`)
    const index = await api.registry.getArtifact({ workspace, repository: multi, reference: 'all' })
    expect([index.kind, ...index.children.map(({ platform, present }) => [platform?.architecture, present])]).toEqual([
      'REGISTRY_ARTIFACT_KIND_INDEX',
      ...platforms.map(architecture => [architecture, true]),
    ])
    const both = ['--src-tls-verify=false', '--dest-tls-verify=false'] as const
    const copy = [`docker://${web}/multi:all`, `docker://${web}/copied:all`] as const
    await programs.run('skopeo', 'copy', '--quiet', '--all', ...both, ...copy)
    for (const architecture of platforms) {
      await programs.run('podman', 'pull', '--quiet', anyTls, '--arch', architecture, `${web}/copied:all`)
      const mounted = await programs.run('podman', 'image', 'mount', `${web}/copied:all`)
      expect(readFileSync(join(mounted, 'hello.txt'), 'utf8')).toBe(`hello ${architecture}\n`)
      await programs.run('podman', 'image', 'unmount', `${web}/copied:all`)
    }
  })

  it('sign in, push, pull by digest, search, and push a manifest list', async () => {
    const { accessToken, api, repository, url, workspace } = registry()
    const podman = await repository('podman')
    const { host } = new URL(url)
    const name = `${web}/podman`
    await programs.run('podman', 'logout', host)
    expect(await programs.refused('podman', 'login', anyTls, '-u', 'token', '-p', 'wrong', host)).toContain(
      'invalid username/password',
    )
    expect(await programs.run('podman', 'login', anyTls, '-u', 'token', '-p', accessToken, host)).toBe(
      'Login Succeeded!',
    )
    await programs.run('podman', 'tag', await build('amd64'), `${name}:v1`)
    await programs.run('podman', 'push', '--quiet', anyTls, '--digestfile', 'digest', `${name}:v1`)
    const digest = readFileSync(join(programs.folder, 'digest'), 'utf8')
    const artifact = await api.registry.getArtifact({ workspace, repository: podman, reference: 'v1' })
    expect(artifact).toMatchObject({ digest, platform: { os: 'linux', architecture: 'amd64' } })
    await programs.run('podman', 'rmi', '--force', `${name}:v1`)
    await programs.run('podman', 'pull', '--quiet', anyTls, `${name}@${digest}`)
    expect(await programs.run('podman', 'search', anyTls, '--format', '{{.Name}}', `${host}/podman`)).toContain(name)
    const tags = await programs.run('podman', 'search', '--list-tags', anyTls, '--format', 'json', name)
    expect(JSON.parse(tags)).toEqual([{ Name: name, Tags: ['v1'] }])
    await programs.run('podman', 'manifest', 'create', 'list')
    await programs.run('podman', 'manifest', 'add', anyTls, 'list', `docker://${name}:v1`)
    await programs.run('podman', 'manifest', 'push', '--quiet', '--all', anyTls, 'list', `docker://${name}:list`)
    expect(await api.registry.getArtifact({ workspace, repository: podman, reference: 'list' })).toMatchObject({
      children: [{ digest, present: true }],
    })
  })
})
