import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FormatRegistry, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Formats } from './by-hand.ts'

/** A function that returns the number of faults that a library finds in a body. */
export type Count = (body: unknown) => number

/** The path of the document whose schema all contenders check. */
export const document = join(import.meta.dirname, 'server.yaml')

/** Returns a check by ajv, which compiles the schemas of the document unchanged, with its own full formats. */
export function byAjv(): Count {
  const { components } = parse(readFileSync(document, 'utf8'))
  const ajv = new Ajv({ allErrors: true, strict: false })
  formats.default(ajv)
  const check = ajv.compile({ $ref: '#/components/schemas/Server', components })
  return body => (check(body) ? 0 : (check.errors?.length ?? 0))
}

/** Returns a check by typebox, which has no formats of its own and therefore uses those of the runtime. */
export function byTypebox({ isUuid, isDateTime }: Formats): Count {
  FormatRegistry.Set('uuid', isUuid)
  FormatRegistry.Set('date-time', isDateTime)
  const closed = { additionalProperties: false }
  const name = Type.String({ minLength: 1, maxLength: 63, pattern: '^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$' })
  const uuid = Type.String({ format: 'uuid' })
  const time = Type.String({ format: 'date-time' })
  const text = (maxLength: number) => Type.String({ maxLength })
  const oneOf = (...values: string[]) => Type.Union(values.map(value => Type.Literal(value)))
  const disk = Type.Object(
    {
      name,
      size_gib: Type.Integer({ minimum: 1, maximum: 65536 }),
      kind: oneOf('SSD', 'HDD'),
      boot: Type.Optional(Type.Boolean()),
    },
    closed,
  )
  const networkInterface = Type.Object(
    {
      subnet_id: uuid,
      address: Type.Optional(Type.String({ maxLength: 45, pattern: '^[0-9a-f.:]+$' })),
      public: Type.Optional(Type.Boolean()),
    },
    closed,
  )
  const check = TypeCompiler.Compile(
    Type.Object(
      {
        id: uuid,
        name,
        display_name: Type.Optional(text(128)),
        description: Type.Optional(text(1024)),
        labels: Type.Optional(Type.Record(Type.String(), text(63), { maxProperties: 64 })),
        zone: Type.String({ minLength: 1, maxLength: 63, pattern: '^[a-z]+-[a-z]+-[0-9]$' }),
        state: oneOf('STATE_STARTING', 'STATE_RUNNING', 'STATE_STOPPING', 'STATE_STOPPED', 'STATE_FAILED'),
        cpu_count: Type.Integer({ minimum: 1, maximum: 256 }),
        memory_mib: Type.Integer({ minimum: 128, maximum: 16777216, multipleOf: 128 }),
        image_id: uuid,
        owner: uuid,
        created: time,
        updated: time,
        expire_time: Type.Optional(time),
        preemptible: Type.Optional(Type.Boolean()),
        priority: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
        tags: Type.Optional(Type.Array(text(63), { maxItems: 16 })),
        disks: Type.Array(disk, { maxItems: 16 }),
        network_interfaces: Type.Array(networkInterface, { minItems: 1, maxItems: 8 }),
        etag: Type.Optional(text(64)),
      },
      closed,
    ),
  )
  return body => (check.Check(body) ? 0 : [...check.Errors(body)].length)
}

/** Returns a check by zod, which parses into a copy, as in its usual use. */
export function byZod(): Count {
  const name = z
    .string()
    .min(1)
    .max(63)
    .regex(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/u)
  const uuid = z.guid()
  const time = z.iso.datetime({ offset: true })
  const disk = z.strictObject({
    name,
    size_gib: z.int().min(1).max(65536),
    kind: z.enum(['SSD', 'HDD']),
    boot: z.boolean().optional(),
  })
  const networkInterface = z.strictObject({
    subnet_id: uuid,
    address: z
      .string()
      .max(45)
      .regex(/^[0-9a-f.:]+$/u)
      .optional(),
    public: z.boolean().optional(),
  })
  const labels = z.record(z.string(), z.string().max(63)).refine(value => Object.keys(value).length <= 64)
  const server = z.strictObject({
    id: uuid,
    name,
    display_name: z.string().max(128).optional(),
    description: z.string().max(1024).optional(),
    labels: labels.optional(),
    zone: z
      .string()
      .min(1)
      .max(63)
      .regex(/^[a-z]+-[a-z]+-[0-9]$/u),
    state: z.enum(['STATE_STARTING', 'STATE_RUNNING', 'STATE_STOPPING', 'STATE_STOPPED', 'STATE_FAILED']),
    cpu_count: z.int().min(1).max(256),
    memory_mib: z.int().min(128).max(16777216).multipleOf(128),
    image_id: uuid,
    owner: uuid,
    created: time,
    updated: time,
    expire_time: time.optional(),
    preemptible: z.boolean().optional(),
    priority: z.number().min(0).max(1).optional(),
    tags: z.array(z.string().max(63)).max(16).optional(),
    disks: z.array(disk).max(16),
    network_interfaces: z.array(networkInterface).min(1).max(8),
    etag: z.string().max(64).optional(),
  })
  return body => server.safeParse(body).error?.issues.length ?? 0
}
