import { isIdentifier } from '../identifier.ts'
import type { Access, Operation, Parameter, Response } from '../model/types.ts'
import { resultType } from './answer-type.ts'
import { requestComplete } from './complete.ts'
import { type Emission, openFile, schemaOf } from './emission.ts'
import { domainName } from './errors.ts'
import { updateOf } from './fields.ts'
import type { OutputFile } from './file.ts'
import { listNames } from './list-names.ts'
import { givenRequest } from './given.ts'
import { handlersName } from './handlers.ts'
import { docComment, inSentence } from './layout/comment.ts'
import { type Doc, group, ifBroken, indent, join, line, print, softline } from './layout/doc.ts'
import { widthOf } from './layout/width.ts'
import { constant, generic, type Type } from './layout/type.ts'
import { array, literal, member, object, property, quote } from './layout/typescript.ts'
import { mediaOf, requestBodyOf } from './media.ts'
import { checkName, fieldsName } from './names.ts'
import { shortComment } from './operation-comment.ts'
import { exact, isComposite, parameterType } from './parameter-type.ts'
import { render } from './templates.ts'

/**
 * routes.ts: one constant an operation with what its clients need, data only, and the function that binds all to their
 * handlers. What only servers need stands there, so that no client loads it.
 */
export function emitRoutes(emission: Emission): OutputFile | undefined {
  if (emission.document.operations.length === 0) return undefined
  const file = openFile(emission, 'routes')
  const { groups, name, operations, title } = emission.document
  const routes = operations.map(operation => routeView(operation, emission, file))
  const handlers = file.from('handlers', handlersName(emission), true)
  const boundRoute = file.runtime('BoundRoute')
  const bound = groups.flatMap(group =>
    group.operations.map(operation => ({ group, operation, rules: rulesOf(operation, emission, file) })),
  )
  const destructured = groups.every(group => isIdentifier(group.name) && !isNamed(group.name, file))
  const pattern = object(groups.map(group => group.name))
  const named = group(['(', indent([softline, `handlers: ${handlers}`, ifBroken(',')]), softline, ')'])
  const view = {
    comment: docComment(`The routes of ${inSentence(title)}, each bound to the handler that answers it.`),
    routes,
    head: print([
      `export const ${name}Routes = `,
      destructured ? ['(', pattern, `: ${handlers})`] : named,
      `: readonly ${boundRoute}[] => [`,
    ]),
    bindings: bound.map(({ group, operation, rules }) =>
      binding(operation, destructured ? group.name : member('handlers', group.name), rules, file),
    ),
  }
  file.write(render('routes', view))
  return file
}

/** Whether a group of this name would hide what the function that binds them names. */
const isNamed = (name: string, file: OutputFile): boolean =>
  ['bind', 'bindList', 'context', 'request'].includes(name) ||
  file.imports(name) ||
  file.document.operations.some(({ routeName }) => routeName === name)

function routeView(operation: Operation, emission: Emission, file: OutputFile): object {
  return {
    comment: shortComment(operation),
    constant: print(
      constant(
        operation.routeName,
        routeType(operation, emission, file),
        object(members(operation, emission, file), true),
      ),
    ),
  }
}

function routeType(operation: Operation, emission: Emission, file: OutputFile): Type {
  const request = file.from('types', operation.requestName, true)
  const result = resultType(operation, { emission, file, view: 'output' })
  const given = givenRequest(operation, emission)
  const args: Type[] = [request, result]
  if (given !== operation.requestName) args.push(file.from('types', given, true))
  return generic(file.runtime('ClientRoute'), ...args)
}

function members(operation: Operation, emission: Emission, file: OutputFile): readonly Doc[] {
  const { access, body, mode, parameters, successes } = operation
  const docs: Doc[] = [
    property('operationId', quote(operation.id)),
    `method: '${operation.method}'`,
    property('path', array(operation.pathParts.map(quote))),
  ]
  if (parameters.length > 0) {
    const rows = parameters.map(parameter => parameterOf(parameter, emission, file))
    docs.push(['parameters: ', array(rows, rows.length > 1)])
  }
  if (body) {
    docs.push(['body: ', requestBodyOf(operation, body, emission, file)])
  }
  const isTable = successes.length > 1 && successes.every(({ content, headers }) => content || headers.length > 0)
  docs.push([
    'success: ',
    array(
      successes.map(response => successOf(response, emission, file)),
      isTable,
    ),
  ])
  if (operation.answer === 'replies') docs.push(`replies: ${file.runtime('readReply')}`)
  if (access?.kind === 'public') docs.push(['access: ', accessOf(access)])
  if (mode && mode !== 'data') docs.push(`mode: '${mode}'`)
  return docs
}

/** What a server needs beside the constant, a member a line. */
function rulesOf(operation: Operation, emission: Emission, file: OutputFile): Doc {
  const { access, list, raises } = operation
  const docs: Doc[] = [`domain: ${file.from('errors', domainName(emission.document), false)}`]
  if (access && access.kind !== 'public') docs.push(['access: ', accessOf(access)])
  if (raises) docs.push(['raises: ', array(raises.map(quote))])
  if (list)
    docs.push(
      `list: { member: ${quote(list.member)}, fields: ${file.from('filters', listNames(operation, emission.document).fields, false)} }`,
    )
  const update = updateOf(operation, emission)
  if (update) docs.push(fieldsMember(update.target, emission, file))
  if (update?.member !== undefined) docs.push(property('masked', quote(update.member)))
  docs.push(`check: ${file.from('validators', checkName(operation.requestName), false)}`)
  const complete = requestComplete(operation, emission)
  if (complete !== undefined) docs.push(`complete: ${file.from('validators', complete, false)}`)
  return object(docs, true)
}

/** The fields of a schema stand in the document whose operation updates it. */
const fieldsMember = (target: string, emission: Emission, file: OutputFile): Doc =>
  `fields: ${file.from('validators', fieldsName(schemaOf(emission, target).views.output), false)}`

/** A declared success as data. */
function successOf({ status, content, headers }: Response, emission: Emission, file: OutputFile): Doc {
  const rows: Doc[] = [`status: ${typeof status === 'number' ? String(status) : quote(status)}`]
  if (content) rows.push(...mediaOf(content, emission, file))
  if (headers.length > 0) {
    const types = headers.map(({ name, schema }) => property(name, [parameterType(schema, emission), exact(name)]))
    rows.push(['headers: ', object(types)])
  }
  return object(rows)
}

const writers = { path: 'toPath', query: 'toQuery', header: 'toHeader', cookie: 'toCookie' } as const

function parameterOf(parameter: Parameter, emission: Emission, file: OutputFile): Doc {
  const { explode, in: place, member: name, style } = parameter
  const rows: Doc[] = [property('name', quote(parameter.name))]
  if (name !== parameter.name) rows.push(property('member', quote(name)))
  rows.push(`in: '${place}'`, ['type: ', style === 'json' ? "'json'" : parameterType(parameter.schema, emission)])
  const usual = place === 'query' || place === 'cookie' ? 'form' : 'simple'
  if (style !== usual && style !== 'json') rows.push(`style: '${style}'`)
  if (explode !== (style === 'form' || style === 'deepObject') && style !== 'json') rows.push(`explode: ${explode}`)
  const isStyled = style !== 'json' && isComposite(parameter.schema, emission)
  rows.push(`write: ${file.runtime(isStyled ? 'toStyled' : writers[place])}`)
  return object(rows)
}

function accessOf(access: Access): Doc {
  return object(Object.entries(access).map(([name, value]): Doc => [`${name}: `, literal(value)]))
}

/** `bind(getQuota, (request, context) => quotas.getQuota(request, context), { domain, check })`, the rules a line each. */
function binding(operation: Operation, handlers: string, rules: Doc, file: OutputFile): string {
  const { name, routeName, list } = operation
  const bind = file.runtime(list ? 'bindList' : 'bind')
  const called = `${member(handlers, name)}(request, context)`
  const isShort = widthOf(`  ${bind}(${routeName}, (request, context) => ${called}, {`) <= 120
  const handler = group(['(request, context) =>', indent([line, called])])
  const args = join([',', line], [routeName, handler, rules])
  return print(
    isShort
      ? [`${bind}(${routeName}, `, handler, ', ', rules, ')']
      : group([`${bind}(`, indent([softline, args]), ',', softline, ')'], true),
    2,
  )
}
