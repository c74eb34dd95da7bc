/** Spanish. */
import type { Translation } from './catalogue.ts'
import { charts } from './charts-es.ts'

export const es: Translation = {
  skip: 'Ir al contenido',
  search: 'Buscar',
  searchIn: (collection) => `Buscar en ${collection}`,
  home: 'Inicio',
  console: 'Consola GraphQL',
  language: 'Idioma',
  collections: 'Colecciones',
  newest: 'Lo más reciente',
  filters: 'Filtros',
  apply: 'Aplicar',
  remove: 'Quitar',
  clear: 'Quitar todos los filtros',
  results: 'Resultados',
  noResults: 'No hay coincidencias.',
  noResultsHint: 'Quite un filtro o busque menos palabras.',
  didYouMean: 'Quizá quiso decir',
  records: { one: '{n} registro', many: '{n} de registros', other: '{n} registros' },
  missing: 'sin valor',
  notValue: (value) => `no ${value}`,
  exclude: 'excluir',
  include: 'incluir',
  more: 'Más',
  from: 'desde',
  to: 'hasta',
  sort: 'Ordenar',
  newestFirst: 'Primero lo más reciente',
  mostRelevant: 'Primero lo más relevante',
  show: 'Mostrar como',
  list: 'Lista',
  table: 'Tabla',
  cards: 'Tarjetas',
  next: 'Página siguiente',
  previous: 'Página anterior',
  firstPage: 'Primera página',
  yes: 'sí',
  no: 'no',
  indexedAt: 'Indexado el',
  updated: (time) => `Último registro indexado: ${time}`,
  sourceState: (name, state) => `${name}: ${state}`,
  wrongAddress: 'Esta dirección pide algo que no existe',
  notFound: 'Esta página no existe.',
  failed: 'No se pudo responder a esta página',
  tooExpensive: 'Esta consulta es demasiado costosa. Elija un período más corto, o menos facetas y grupos.',
  tooMany: (seconds) =>
    `Ha hecho demasiadas consultas en poco tiempo. Vuelva a intentarlo dentro de ${seconds} segundos.`,
  operator: {
    contact: 'Contacto',
    note: 'Condiciones y procedencia',
    source: 'Fuente',
    about: (service) => `Busque, compare y exporte los registros de ${service}.`,
  },
  charts,
  record: {
    fields: 'Campos',
    about: 'Sobre este registro',
    account: 'Cuenta',
    changedAt: 'Modificado',
    json: 'El registro en JSON',
    place: 'Lugar',
    map: 'En el mapa',
    file: 'Archivo',
    bytes: (count) => `${count} bytes`,
    more: (count) => `y ${count} más`,
    ofMost: (value, most) => `${value} de ${most}`,
    between: (value, least, most) => `${value} (de ${least} a ${most})`,
    otherVersion: 'ha cambiado desde entonces',
    referring: (collection, field) => `${collection}: remite a este registro en «${field}»`,
    newestOf: (count) => `los ${count} más recientes`,
    figures: (collection) => `${collection}: cifras`,
    total: 'Cantidad',
    first: 'Primero',
    last: 'Último',
    months: 'Registros por mes',
    mean: (field) => `${field}, media`,
    notIndexed: 'Este registro no está en el índice',
    notIndexedHint: 'Puede que se haya borrado o que aún no haya llegado.',
  },
  account: {
    handle: 'Nombre de usuario',
    none: 'Esta cuenta no tiene registros aquí',
  },
  take: {
    title: 'Lléveselo',
    playground: 'Abrir en la consola GraphQL',
    embed: 'Insertar en una página',
    prompt: 'Instrucciones para un agente',
    citation: 'Cita',
    indexState: (time) => `Índice a ${time}.`,
    copy: 'Copiar',
    copied: 'Copiado',
  },
  problem: (problem) => {
    switch (problem.kind) {
      case 'unknownParameter':
        return `No hay ningún campo ni parámetro «${problem.name}». Quítelo de la dirección.`
      case 'unknownOperator':
        return `«${problem.name}» no tiene «${problem.operator}». Tiene: ${problem.operators.join(', ')}.`
      case 'longValue':
        return `El valor de «${problem.name}» es demasiado largo: como máximo ${problem.most} caracteres.`
      case 'notFlag':
        return `«${problem.name}.missing» es 1 o 0.`
      case 'notInteger':
        return `«${problem.name}» es un número entero, y «${problem.value}» no lo es.`
      case 'notBoolean':
        return `«${problem.name}» es true o false, no «${problem.value}».`
      case 'notTime':
        return `«${problem.name}» es una fecha como 2026-11-30 o una hora como 2026-11-30T12:00:00Z; «${problem.value}» no es ninguna de las dos.`
      case 'tooManyConditions':
        return `Puede haber como máximo ${problem.most} filtros.`
      case 'tooManyQueries':
        return `Puede haber como máximo ${problem.most} consultas.`
      case 'unknownChoice':
        return `«${problem.name}» no puede ser «${problem.value}».${problem.choices.length === 0 ? '' : ` Puede ser: ${problem.choices.slice(0, 30).join(', ')}.`}`
    }
  },
}
