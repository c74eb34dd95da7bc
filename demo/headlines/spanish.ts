import type { LanguagePack } from './pack.ts'

export const spanish: LanguagePack = {
  language: 'es',
  places: [
    { name: 'Sevilla', within: 'en Sevilla', english: 'Seville', country: 'ES', at: ['37.39', '-5.99'] },
    { name: 'Bilbao', within: 'en Bilbao', english: 'Bilbao', country: 'ES', at: ['43.26', '-2.93'] },
    { name: 'Málaga', within: 'en Málaga', english: 'Málaga', country: 'ES', at: ['36.72', '-4.42'] },
    {
      name: 'Madrid',
      within: 'en Madrid',
      english: 'Madrid',
      country: 'ES',
      at: ['40.42', '-3.70'],
      wikidata: 'Q2807',
    },
    { name: 'Mérida', within: 'en Mérida', english: 'Mérida', country: 'MX', at: ['20.97', '-89.62'] },
    {
      name: 'Querétaro',
      within: 'en Querétaro',
      english: 'Querétaro',
      country: 'MX',
      at: ['20.59', '-100.39'],
    },
    { name: 'Rosario', within: 'en Rosario', english: 'Rosario', country: 'AR', at: ['-32.95', '-60.64'] },
    { name: 'Córdoba', within: 'en Córdoba', english: 'Córdoba', country: 'AR', at: ['-31.42', '-64.18'] },
    { name: 'Medellín', within: 'en Medellín', english: 'Medellín', country: 'CO', at: ['6.24', '-75.58'] },
  ],
  bodies: [
    'el Ministerio de Transporte',
    'la comisión electoral',
    'el ayuntamiento',
    'la Defensoría del Pueblo',
    'el instituto de estadística',
    'la Secretaría de Salud',
  ],
  people: ['Inés Albarracín', 'Lucía Peñalver', 'Rocío Ibarzábal', 'Noemí Güiraldes', 'Sofía Quintanilla'],
  reporters: ['Andrés Montoliú', 'Belén Urrutia', 'Óscar Piñeiro', 'Marta Echeverría'],
  companies: ['Molinos del Alba', 'Naviera Cantil', 'Textiles Jacarandá', 'Energía Quebracho'],
  teams: ['Deportivo Ribera', 'Atlético Ceiba', 'Unión Puerto Viejo', 'Racing del Monte'],
  farCountries: ['Karvenia', 'Valduria', 'Ostmeria'],
  stories: {
    legislation: {
      tags: ['congreso', 'vivienda'],
      titles: [
        'El Congreso limita los pisos turísticos a {n} noches al año',
        'La nueva ley obliga a avisar con {n} días antes de subir el alquiler {in}',
      ],
    },
    election: {
      tags: ['elecciones', 'votación'],
      titles: [
        'Elecciones {in}: la participación alcanza el {n} % a mediodía',
        '{person} gana las elecciones {in} con el {n} % de los votos',
        'Piden repetir el escrutinio {in} por una diferencia de {n} votos',
      ],
    },
    appointment: {
      tags: ['gobierno', 'dimisión'],
      titles: [
        '{person} dimite como ministra de Transporte tras {n} meses',
        '{person}, nueva directora del puerto de {place}',
      ],
    },
    scandal: {
      tags: ['corrupción', 'contratos'],
      titles: ['Una sola familia se llevó {n} contratos municipales {in}, según facturas filtradas'],
    },
    diplomacy: {
      tags: ['diplomacia', 'tratado'],
      titles: ['Delegaciones de {far} y otros {n} países negocian {in} el tratado de los ríos'],
    },
    opinion: {
      tags: ['opinión', 'ciudad'],
      titles: [
        'Por qué {place} debería cerrar {n} calles a los coches',
        'La plaza que {place} no supo cuidar',
      ],
    },
    investigation: {
      tags: ['investigación', 'policía'],
      titles: ['La policía reabre {n} casos {in} por un error del laboratorio'],
    },
    court: {
      tags: ['tribunales', 'justicia'],
      titles: ['El tribunal condena a {company} a pagar {n} millones por contaminar el río {in}'],
    },
    crime: {
      tags: ['sucesos', 'policía'],
      titles: ['Detenida {in} la banda que robó {n} campanas de iglesia'],
    },
    conflict: {
      tags: ['guerra', 'alto el fuego'],
      titles: [
        'Se rompe el alto el fuego en {far} tras {n} días de calma',
        'Los bombardeos en {far} obligan a huir a {n}.000 personas',
      ],
    },
    protest: {
      tags: ['huelga', 'sindicatos'],
      titles: [
        'Los conductores de autobús {in} cumplen {n} días de huelga',
        '{n}.000 enfermeras marchan {in}',
      ],
    },
    disaster: {
      tags: ['inundaciones', 'emergencia'],
      titles: [
        'Las inundaciones aíslan {n} aldeas cerca de {place}',
        'Un terremoto sacude {place} y cierra {n} escuelas',
      ],
    },
    accident: {
      tags: ['accidente', 'tren'],
      titles: ['Descarrila un tren cerca de {place}: {n} heridos leves'],
    },
    market: {
      tags: ['mercados', 'precios'],
      titles: [
        'El trigo cae a su precio más bajo en {n} meses',
        'Las acciones de {company} pierden un {n} % en una mañana',
      ],
    },
    earnings: { tags: ['empresas', 'beneficios'], titles: ['{company} gana un {n} % más que el año pasado'] },
    merger: {
      tags: ['empresas', 'fusión'],
      titles: ['{company} compra {rival} y mantendrá sus {n} fábricas'],
    },
    product: {
      tags: ['tecnología', 'transporte'],
      titles: ['{company} prueba un transbordador sin tripulación en {n} travesías {in}'],
    },
    discovery: {
      tags: ['ciencia', 'arqueología'],
      titles: ['Hallan {n} barcas de la Edad del Bronce en el lodo cerca de {place}'],
    },
    climate: {
      tags: ['clima', 'medio ambiente'],
      titles: [
        'Cambio climático: {place} tendrá {n} noches tórridas más al año',
        'El otoño más cálido {in} en {n} años, según expertos en clima',
        'El plan de clima {in} quiere reducir las emisiones un {n} %',
      ],
    },
    school: {
      tags: ['educación', 'escuelas'],
      titles: [
        'La universidad abre {in} {n} cursos nocturnos gratuitos',
        'Mañana vuelven a clase {n} escuelas de {place}',
      ],
    },
    health: {
      tags: ['salud', 'hospitales'],
      titles: ['Brote de sarampión {in}: {n} casos y vacunación el fin de semana'],
    },
    sport: {
      tags: ['fútbol', 'copa'],
      titles: ['{team} vence a {opponent} ({score}) ante {n}.000 aficionados'],
    },
    obituary: {
      tags: ['literatura', 'obituario'],
      titles: ['Muere a los {n} años {person}, novelista de los puertos pequeños'],
    },
    interview: {
      tags: ['entrevista', 'gente'],
      titles: ['{person}: «Reparé {n} relojes en un solo invierno»'],
    },
    religion: {
      tags: ['religión', 'patrimonio'],
      titles: ['La romería recorre {n} kilómetros hasta la ermita restaurada de {place}'],
    },
    lifestyle: {
      tags: ['gastronomía', 'ocio'],
      titles: ['{n} guisos que probar en el mercado de invierno de {place}'],
    },
    weather: {
      tags: ['tiempo', 'temporal'],
      titles: ['Alerta por temporal {in}: rachas de {n} kilómetros por hora'],
    },
  },
  rarities: [
    ['lifestyle', 'El ñandú que cruzó la ciudad en hora punta'],
    ['discovery', 'Un murciélago albino sorprende a los espeleólogos'],
    ['opinion', 'Elogio del paragüero'],
  ],
  standfirsts: [
    '{Body} publicará los detalles el jueves; la vecindad podrá opinar hasta fin de mes.',
    'Qué se sabe, qué no se sabe y qué puede pasar ahora {in}.',
    '{Body} confirmó las cifras el lunes y prometió un informe en {n} días.',
    'Hablamos con quienes siguen el asunto {in} desde hace años.',
    'La oposición exige una comisión; {body} no ve motivos.',
    'Lo más importante en tres minutos, con imágenes y un mapa.',
    'Voces, cifras y contexto de nuestra redacción.',
  ],
  teasers: ['No lo vas a creer: ', 'Todo el mundo habla de esto: ', '¡BOMBAZO! '],
  sections: {
    politics: 'Política',
    economy: 'Economía',
    world: 'Internacional',
    society: 'Sociedad',
    science: 'Ciencia',
    sport: 'Deportes',
    culture: 'Cultura',
    local: 'Local',
  },
}
