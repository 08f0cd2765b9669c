import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { servedRegistry } from '../../../domain/registry/served-registry.ts'
import { hasPrograms, manyPrograms, ociPrograms } from './oci-programs.ts'

/** Returns the bytes of a tar archive with one file. */
function tarOf(name: string, text: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write('0000000\0', 108)
  header.write('0000000\0', 116)
  header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        ', 148)
  header.write('0', 156)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const body = Buffer.alloc(Math.ceil(text.length / 512) * 512)
  body.write(text)
  return Buffer.concat([header, body, Buffer.alloc(1024)])
}

describe.runIf(hasPrograms('crane', 'crane'))('crane', manyPrograms, () => {
  it('logs in with the credentials of the API, and pushes, copies, indexes, reads and deletes images', async () => {
    const { api, repository, url, workspace } = await servedRegistry(onTestFinished)
    await repository('app')
    const other = await repository('other')
    const credentials = await api.registry.getCredentials({ workspace, engine: 'native' })
    const programs = ociPrograms()
    programs.signIn(credentials.docker_config)
    writeFileSync(join(programs.folder, 'layer.tar'), tarOf('hello.txt', 'hello'))
    const { host } = new URL(url)
    const crane = (...args: readonly string[]) => programs.run('crane', ...args, '--insecure')
    const app = `${host}/acme/web/app`
    await crane('append', '-f', 'layer.tar', '-t', `${app}:v1`)
    const digest = await crane('digest', `${app}:v1`)
    await crane('copy', `${app}:v1`, `${host}/${workspace}/other:v1`)
    await crane('tag', `${app}:v1`, 'v2')
    expect(await crane('ls', app)).toBe('v1\nv2')
    await crane('index', 'append', '-m', `${app}:v1`, '-t', `${app}:all`)
    expect(JSON.parse(await crane('manifest', `${app}:all`)).manifests).toHaveLength(1)
    await crane('pull', `${app}:v1`, 'image.tar')
    await crane('validate', '--remote', `${host}/acme/web/other:v1`)
    const artifact = await api.registry.getArtifact({ workspace, repository: other, reference: 'v1' })
    expect(artifact).toMatchObject({ digest, kind: 'REGISTRY_ARTIFACT_KIND_IMAGE' })
    await crane('delete', `${host}/acme/web/other@${digest}`)
    expect((await api.registry.listArtifacts({ workspace, repository: other })).artifacts).toEqual([])
    const append = ['append', '-f', 'layer.tar', '-t', `${host}/acme/web/nope:v1`, '--insecure']
    expect(await programs.refused('crane', ...append)).toContain('NAME_UNKNOWN')
  })
})
