import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { inventoryOfEntries } from './made-image.ts'
import { zipOf, type MadeZipEntry } from './zip-maker.ts'

/** Returns the properties of an artifact in a jar. */
const properties = (artifact: string): MadeZipEntry => ({
  name: `META-INF/maven/org.x/${artifact}/pom.properties`,
  content: Buffer.from(`version=1.0\ngroupId=org.x\nartifactId=${artifact}\n`),
})
const jar = (name: string, ...entries: readonly MadeZipEntry[]): MadeZipEntry => ({ name, content: zipOf(...entries) })
const deflated = ({ content, name }: MadeZipEntry): MadeZipEntry => ({
  name,
  content: deflateRawSync(content),
  method: 8,
  size: content.length,
})

describe('a jar in an image', () => {
  it('names its artifact, those that are packed into it, and those of the jars in it', async () => {
    const { packages, unsupported } = await inventoryOfEntries([
      {
        name: 'opt/app.war',
        content: zipOf(
          deflated(properties('app')),
          properties('shaded'),
          jar('WEB-INF/lib/lib.jar', properties('lib'), jar('META-INF/inner.jar', deflated(properties('inner')))),
          deflated(jar('WEB-INF/lib/packed.jar', properties('packed'))),
        ),
      },
    ])
    expect(packages.map(({ ecosystem, name, path, version }) => [ecosystem, name, version, path])).toEqual([
      ['Maven', 'org.x:app', '1.0', 'opt/app.war'],
      ['Maven', 'org.x:inner', '1.0', 'opt/app.war!/WEB-INF/lib/lib.jar!/META-INF/inner.jar'],
      ['Maven', 'org.x:lib', '1.0', 'opt/app.war!/WEB-INF/lib/lib.jar'],
      ['Maven', 'org.x:packed', '1.0', 'opt/app.war!/WEB-INF/lib/packed.jar'],
      ['Maven', 'org.x:shaded', '1.0', 'opt/app.war'],
    ])
    expect(unsupported).toEqual([])
  })

  it('is reported if it has no properties, or jars too deep in it', async () => {
    const deep = jar('1.jar', properties('a'), jar('2.jar', properties('b'), jar('3.jar', properties('c'))))
    const { packages, unsupported } = await inventoryOfEntries([
      { name: 'opt/deep.jar', content: zipOf(properties('top'), deep) },
      { name: 'opt/plain.jar', content: zipOf({ name: 'META-INF/MANIFEST.MF', content: Buffer.from('x') }) },
    ])
    expect(packages.map(({ name }) => name)).toEqual(['org.x:a', 'org.x:b', 'org.x:top'])
    expect(unsupported).toEqual([
      'jar in a jar that is too large or too deep: opt/deep.jar!/1.jar!/2.jar!/3.jar',
      'jar without pom.properties: opt/plain.jar',
    ])
  })
})
