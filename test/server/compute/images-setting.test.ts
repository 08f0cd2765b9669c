import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { catalogueOf } from '../../../domain/compute/images/catalogue.ts'
import { readConfig } from '../../../server/config.ts'
import { computeSettings } from '../../../server/compute/settings.ts'
import { settingsOf } from '../../../server/settings/values.ts'
import { testFolder } from '../store/harness.ts'

const image = { name: 'plan-9', os: 'Plan 9', min_disk_gib: 2, min_memory_mib: 256, boot_ms: 900 }

/** Reads the settings with a file of images that contains `text`. */
function imagesIn(text: string) {
  const file = join(testFolder(), 'images.json')
  writeFileSync(file, text)
  const config = readConfig({ environment: { NINEFOLD_COMPUTE_IMAGES_FILE: file } }, [computeSettings])
  return settingsOf(config, computeSettings)['compute.images_file'] ?? []
}

describe('compute.images_file', () => {
  it('adds images to the built-in ones, and replaces them by name', () => {
    const catalogue = catalogueOf(imagesIn(JSON.stringify([image, { ...image, name: 'tiny', boot_ms: 7 }])))
    expect([...catalogue.keys()]).toEqual(['blank', 'tiny', 'alpine-3.20', 'debian-13', 'ubuntu-24.04', 'plan-9'])
    expect(catalogue.get('tiny')?.boot_ms).toBe(7)
  })

  it.each<readonly [string, string]>([
    ['{', 'names a file that is no JSON'],
    ['{}', 'must be'],
    [JSON.stringify([image, image]), 'plan-9'],
    [JSON.stringify([{ ...image, name: 'Plan 9' }]), 'must be 1 to 128 of a-z'],
    [JSON.stringify([{ ...image, url: 'https://images.example/a' }]), 'must give image plan-9'],
    [JSON.stringify([{ ...image, min_disk_gib: 0 }]), 'min_disk_gib'],
    [JSON.stringify([{ ...image, colour: 'red' }]), 'colour'],
    [JSON.stringify([{ ...image, file: 'disk.qcow2' }]), 'must be an absolute path'],
    [JSON.stringify([{ ...image, file: '/disk\0' }]), 'must be an absolute path'],
    ...['file:///etc/passwd', 'data:,x', 'images.example/a', 'https://', 'javascript:1'].map(
      url =>
        [JSON.stringify([{ ...image, url, sha256: 'a'.repeat(64) }]), 'must be an address of http or https'] as const,
    ),
  ])('refuses %s', (text, fault) => {
    expect(() => imagesIn(text)).toThrow(fault)
  })

  it.each<[string, (path: string) => void, string]>([
    ['a folder', path => mkdirSync(path), 'cannot be read (no regular file)'],
    ['a pipe without a writer', path => void execFileSync('mkfifo', [path]), 'cannot be read (no regular file)'],
    ['a device without an end', path => symlinkSync('/dev/zero', path), 'cannot be read (no regular file)'],
    ['a link to itself', path => symlinkSync(path, path), 'cannot be read (ELOOP)'],
    ['a file of more than 1 MiB', path => writeFileSync(path, `[${' '.repeat(2 ** 20)}]`), 'more than 1 MiB'],
  ])('refuses %s at once', (_name, make, fault) => {
    const file = join(testFolder(), 'images.json')
    make(file)
    const environment = { NINEFOLD_COMPUTE_IMAGES_FILE: file }
    expect(() => readConfig({ environment }, [computeSettings])).toThrow(fault)
  })

  it('refuses a file that is not there', () => {
    const environment = { NINEFOLD_COMPUTE_IMAGES_FILE: join(testFolder(), 'absent.json') }
    expect(() => readConfig({ environment }, [computeSettings])).toThrow('cannot be read (ENOENT)')
  })
})
