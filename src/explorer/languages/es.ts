/** Spanish. */
import type { Translation } from './catalogue.ts'
import { charts } from './charts-es.ts'

export const es: Translation = {
  skip: 'Ir al contenido',
  skipToResults: 'Saltar a los resultados',
  search: 'Buscar',
  searchIn: (collection) => `Buscar en ${collection}`,
  home: 'Inicio',
  playground: 'Editor de GraphQL',
  language: 'Idioma',
  collections: 'Colecciones',
  newest: 'Lo más reciente',
  filters: 'Filtros',
  apply: 'Aplicar',
  clear: 'Quitar todos los filtros',
  results: 'Resultados',
  noResults: 'No hay coincidencias.',
  noResultsHint: 'Quite un filtro o busque menos palabras.',
  didYouMean: 'Quizá quiso decir',
  records: { one: '{n} registro', many: '{n} de registros', other: '{n} registros' },
  missing: 'sin valor',
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
  indexedAt: 'Indexado el',
  updated: 'Último registro indexado:',
  timesInUtc: 'Las horas están en UTC.',
  timesInZone: (zone) => `Las horas están en su zona, ${zone}.`,
  sourceState: (name, state) => `${name}: ${state}`,
  wrongAddress: 'Esta dirección pide algo que no existe',
  withoutProblems: 'Continuar sin ello',
  notFound: 'Esta página no existe.',
  failed: 'No se puede mostrar esta página',
  wrongPage:
    'La dirección no nombra ninguna página de esta lista. Empiece por la primera, sin «after» ni «before».',
  tooExpensive:
    'Esta página costaría demasiado. Elija un período más corto, o menos filtros, facetas y grupos.',
  wrongSearch:
    'No se puede hacer esta búsqueda. Escriba al menos una palabra que puedan tener los registros: no bastan los signos.',
  wrongInput:
    'El servicio rechaza un valor de esta dirección. Cámbielo o continúe sin él. El motivo, en inglés:',
  tryAgain: 'Intentar de nuevo',
  onlyRead: 'Las páginas solo se pueden leer: no se puede enviar nada a esta dirección.',
  openPage: 'Abrir la página',
  tooMany: (seconds) =>
    `Ha enviado muchas solicitudes en poco tiempo. Vuelva a intentarlo dentro de ${seconds} segundos.`,
  operator: {
    contact: 'Contacto',
    note: 'Condiciones y procedencia',
    source: 'Fuente',
    about: (service) => `Busque, compare y exporte los registros de ${service}.`,
  },
  browse: {
    everything: 'Buscar en todo',
    searchAll: 'Buscar en todas las colecciones',
    searchLead: 'Palabras, «frases» entre comillas, prefijo*, -sin, OR',
    found: (words) => `Resultados de «${words}»`,
    all: 'Todo',
    moreFacets: 'Más campos',
    allValues: (field) => `Todos los valores de ${field}`,
    columns: 'Columnas',
    facets: 'Facetas',
    ascending: (field) => `${field}, ascendente`,
    descending: (field) => `${field}, descendente`,
    newRecords: { one: '{n} registro nuevo', many: '{n} de registros nuevos', other: '{n} registros nuevos' },
    pages: 'Páginas',
    dates: (field) => `${field}, en UTC`,
    noChart: 'Se omite el gráfico porque estos filtros son costosos. Con menos filtros aparece.',
    fewFacets: 'Se omiten algunas facetas porque esta vista es costosa. «Más campos» lleva a sus valores.',
    fewerFacets: 'Elija menos facetas o filtros para verlas aquí.',
    skipFilters: 'Las facetas se muestran en la primera página.',
    undated: (field, count) =>
      `Por orden de indexación: los registros sin «${field}» están entre los demás (${count}).`,
    missingFirst: (field) => `Los registros sin «${field}» van al principio.`,
    missingLast: (field) => `Los registros sin «${field}» van al final.`,
  },
  filtering: {
    add: 'Añadir un filtro',
    field: 'Campo',
    next: 'Continuar',
    condition: 'Condición',
    value: 'Valor',
    between: 'Intervalo',
    anyOf: 'Cualquiera de estos valores',
    present: 'Tiene valor',
    absent: 'No tiene valor',
    presence: 'Con o sin valor',
    find: 'Buscar un valor',
    noValues: 'Ningún valor coincide.',
    mostFrequent: (count) => `Los ${count} valores más frecuentes.`,
    findOthers: 'Busque otros por una parte de ellos.',
    lookedThrough: (count) => `Solo se buscó entre los ${count} valores más frecuentes.`,
    back: 'Volver a los registros',
    by: (field) => `Filtrar por ${field}`,
    refersTo: (field) => `De: ${field}`,
    referring: (collection) => `De registros de ${collection} que se refieren a él`,
    operators: {
      is: 'es exactamente',
      not: 'no es',
      all: 'tiene todos',
      missing: 'no tiene valor',
      from: 'desde',
      to: 'hasta',
      contains: 'contiene',
      starts: 'empieza por',
      matches: 'tiene las palabras',
    },
    sentences: {
      not: '{field}: no {value}',
      from: '{field}: desde {value}',
      to: '{field}: hasta {value}',
      contains: '{field} contiene {value}',
      starts: '{field} empieza por {value}',
      matches: '{field} tiene las palabras {value}',
      isMissing: '{field}: sin valor',
      isPresent: '{field}: con valor',
    },
    remove: (condition) => `Quitar el filtro «${condition}»`,
    reversed: (field) =>
      `${field}: el intervalo empieza después de terminar, así que ningún registro coincide.`,
    swap: 'Intercambiar los dos',
  },
  front: {
    lead: (records, collections) =>
      `${records} en ${collections}. Búsquelos, fíltrelos, cuéntelos y compárelos.`,
    collections: { one: '{n} colección', many: '{n} de colecciones', other: '{n} colecciones' },
    examples: 'Por ejemplo',
    both: (collection, one, other) => `${collection}: ${one}, ${other}`,
    compare: (one, other) => `${one} y ${other} como proporciones en el tiempo`,
    unusual: (collection, day) => `${collection}: lo inusual en la semana hasta el ${day}`,
    index: 'Actualidad de los datos',
    lag: (seconds) => `${seconds} s de retraso`,
    browseAll: (collection) => `Explorar ${collection}`,
  },
  keys: {
    title: 'Teclado',
    search: 'Ir a la búsqueda',
    next: 'Resultado siguiente',
    previous: 'Resultado anterior',
    open: 'Abrir el resultado',
    help: 'Mostrar esta lista',
    close: 'Cerrar',
  },
  charts,
  record: {
    fields: 'Campos',
    about: 'Sobre este registro',
    account: 'Cuenta',
    rev: 'Revisión',
    changedAt: 'Modificado el',
    json: 'El registro como JSON',
    place: 'Posición',
    map: 'En el mapa',
    file: 'Archivo',
    bytes: (count) => `${count} bytes`,
    more: (count) => `y ${count} más`,
    ofMost: (value, most) => `${value} de ${most}`,
    between: (value, least, most) => `${value} (de ${least} a ${most})`,
    otherVersion: 'ha cambiado desde entonces',
    referring: (collection, field) => `${collection} que se refieren a este registro en «${field}»`,
    newestOf: (count) => `los ${count} más recientes`,
    summary: (collection) => `${collection}: resumen`,
    total: 'Número de registros',
    first: 'Primero',
    last: 'Último',
    average: (field) => `Promedio de ${field}`,
    notIndexed: 'Este registro no está indexado aquí',
    notIndexedHint: 'Puede que se haya eliminado o que aún no haya llegado.',
  },
  account: {
    none: 'Esta cuenta no tiene registros aquí',
    noneOfThese: 'Esta cuenta no tiene registros en estas colecciones',
    collections: (first, last, all) => `Colecciones ${first} a ${last} de ${all}`,
  },
  exportMenu: {
    titles: {
      list: 'Llévese estos registros',
      record: 'Llévese este registro',
      chart: 'Llévese este gráfico',
      summary: 'Llévese este resumen',
    },
    playground: 'Abrir en el editor de GraphQL',
    embed: 'Incluir en una página',
    prompt: 'Instrucción para un agente',
    citation: 'Cita',
    cut: (rows, total) => `Los archivos contienen los primeros ${rows} de ${total}.`,
    indexState: (time) => `Índice a fecha de ${time}.`,
    copy: 'Copiar',
    copied: 'Copiado',
  },
  problem: (problem) => {
    switch (problem.kind) {
      case 'unknownParameter':
        return `No hay ningún campo ni parámetro «${problem.name}». Quítelo de la dirección.`
      case 'reservedName':
        return `«${problem.name}» es un parámetro de otras páginas. Escriba el campo como «${problem.condition}».`
      case 'unknownOperator':
        return `«${problem.name}» no tiene la condición «${problem.operator}». Tiene: ${problem.operators.join(', ')}.`
      case 'noSearch':
        return `«${problem.name}» busca palabras, y estos registros no tienen ningún texto en el que se busque. Quítelo o use un filtro.`
      case 'longValue':
        return `El valor de «${problem.name}» es demasiado largo: como máximo ${problem.most} caracteres.`
      case 'notFlag':
        return `«${problem.name}.missing» debe ser 1 o 0.`
      case 'notInteger':
        return `«${problem.name}» debe ser un número entero, no «${problem.value}».`
      case 'notBoolean':
        return `«${problem.name}» debe ser true o false, no «${problem.value}».`
      case 'notTime':
        return `«${problem.name}» debe ser una fecha como 2026-11-30 o una hora como 2026-11-30T12:00:00Z, no «${problem.value}».`
      case 'tooManyConditions':
        return `Una página tiene como máximo ${problem.most} filtros.`
      case 'tooManyQueries':
        return `Una página compara como máximo ${problem.most} consultas.`
      case 'unknownChoice':
        return `«${problem.name}» no puede ser «${problem.value}».${problem.choices.length === 0 ? '' : ` Puede ser: ${problem.choices.slice(0, 30).join(', ')}${problem.choices.length > 30 ? '…' : '.'}`}`
    }
  },
}
