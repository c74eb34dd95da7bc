import type { LanguagePack } from './pack.ts'

export const portuguese: LanguagePack = {
  language: 'pt',
  places: [
    { name: 'Porto', within: 'no Porto', english: 'Porto', country: 'PT', at: ['41.15', '-8.61'] },
    {
      name: 'Lisboa',
      within: 'em Lisboa',
      english: 'Lisbon',
      country: 'PT',
      at: ['38.72', '-9.14'],
      wikidata: 'Q597',
    },
    { name: 'Évora', within: 'em Évora', english: 'Évora', country: 'PT', at: ['38.57', '-7.91'] },
    { name: 'Salvador', within: 'em Salvador', english: 'Salvador', country: 'BR', at: ['-12.97', '-38.50'] },
    { name: 'Curitiba', within: 'em Curitiba', english: 'Curitiba', country: 'BR', at: ['-25.43', '-49.27'] },
    {
      name: 'São Paulo',
      within: 'em São Paulo',
      english: 'São Paulo',
      country: 'BR',
      at: ['-23.55', '-46.63'],
    },
    { name: 'Belém', within: 'em Belém', english: 'Belém', country: 'BR', at: ['-1.46', '-48.50'] },
    { name: 'Maringá', within: 'em Maringá', english: 'Maringá', country: 'BR', at: ['-23.42', '-51.94'] },
  ],
  bodies: [
    'a câmara municipal',
    'o Ministério dos Transportes',
    'a Secretaria da Saúde',
    'o instituto de estatística',
    'a comissão eleitoral',
    'a Defesa Civil',
  ],
  people: ['Conceição Abrantes', 'Iracema Falcão', 'Glória Vasconcelos', 'Tainá Guimarães', 'Inês Sobral'],
  reporters: ['João Frazão', 'Débora Antunes', 'Caíque Moura', 'Patrícia Lobão'],
  companies: ['Moinhos Aurora', 'Barcas Atlântida', 'Tecelagem Ipê', 'Energia Sertão'],
  teams: ['Esperança da Ribeira', 'União do Morro', 'Atlético Farol', 'Náutico das Pedras'],
  farCountries: ['Karvénia', 'Valdúria', 'Ostméria'],
  stories: {
    legislation: {
      tags: ['parlamento', 'habitação'],
      titles: [
        'Parlamento limita aluguel por temporada a {n} noites por ano',
        'Nova lei dá {n} dias para contestar aumento da renda {in}',
      ],
    },
    election: {
      tags: ['eleições', 'voto'],
      titles: [
        'Eleições {in}: participação chega a {n} % ao meio-dia',
        '{person} vence a eleição {in} com {n} % dos votos',
        'Diferença de {n} votos obriga a recontagem {in}',
      ],
    },
    appointment: {
      tags: ['governo', 'demissão'],
      titles: [
        'Ministra {person} deixa os Transportes após {n} meses',
        '{person} assume a direção do porto {in}',
      ],
    },
    scandal: {
      tags: ['corrupção', 'contratos'],
      titles: ['Faturas vazadas: uma só família ficou com {n} contratos públicos {in}'],
    },
    diplomacy: {
      tags: ['diplomacia', 'tratado'],
      titles: ['{far} e outros {n} países negociam {in} o tratado dos rios'],
    },
    opinion: {
      tags: ['opinião', 'cidade'],
      titles: ['Por que {place} deveria fechar {n} ruas aos carros', 'O bonde que {place} esqueceu'],
    },
    investigation: {
      tags: ['investigação', 'polícia'],
      titles: ['Erro de laboratório leva polícia a reabrir {n} casos {in}'],
    },
    court: {
      tags: ['tribunal', 'justiça'],
      titles: ['Tribunal condena {company} a pagar {n} milhões por poluir rio {in}'],
    },
    crime: { tags: ['crime', 'polícia'], titles: ['Presa {in} quadrilha que furtou {n} sinos de igreja'] },
    conflict: {
      tags: ['guerra', 'cessar-fogo'],
      titles: ['{far}: cessar-fogo termina após {n} dias', '{far}: bombardeios fazem {n} mil pessoas fugir'],
    },
    protest: {
      tags: ['greve', 'sindicatos'],
      titles: ['Greve dos motoristas de ônibus {in} chega ao {n}º dia', '{n} mil enfermeiras marcham {in}'],
    },
    disaster: {
      tags: ['enchente', 'emergência'],
      titles: ['Enchente isola {n} povoados {in}', 'Deslizamento fecha {n} escolas {in}'],
    },
    accident: { tags: ['acidente', 'trem'], titles: ['Trem descarrila {in} e deixa {n} feridos leves'] },
    market: {
      tags: ['mercados', 'preços'],
      titles: ['Café atinge o menor preço em {n} meses', 'Ações: {company} perde {n} % numa só manhã'],
    },
    earnings: { tags: ['empresas', 'lucro'], titles: ['{company}: lucro anual sobe {n} %'] },
    merger: {
      tags: ['empresas', 'fusão'],
      titles: ['{company} compra {rival} e promete manter {n} fábricas'],
    },
    product: {
      tags: ['tecnologia', 'transporte'],
      titles: ['{company} testa balsa sem tripulação em {n} travessias {in}'],
    },
    discovery: {
      tags: ['ciência', 'arqueologia'],
      titles: ['Estudantes encontram {n} canoas milenares na lama {in}'],
    },
    climate: {
      tags: ['clima', 'ambiente'],
      titles: [
        'Clima: {place} terá mais {n} noites quentes por ano, diz estudo',
        'Estação mais quente {in} em {n} anos, segundo pesquisadores do clima',
        'Plano do clima quer cortar {n} % das emissões {in}',
      ],
    },
    school: {
      tags: ['educação', 'escolas'],
      titles: [
        'Universidade abre {n} cursos noturnos gratuitos {in}',
        'Reforma atrasa aulas em {n} escolas {in}',
      ],
    },
    health: {
      tags: ['saúde', 'hospitais'],
      titles: ['Sarampo {in}: {n} casos e vacinação no fim de semana'],
    },
    sport: {
      tags: ['futebol', 'copa'],
      titles: ['{team} bate {opponent} por {score} diante de {n} mil torcedores'],
    },
    obituary: { tags: ['literatura', 'obituário'], titles: ['Morre aos {n} anos a romancista {person}'] },
    interview: {
      tags: ['entrevista', 'gente'],
      titles: ['“Consertei {n} relógios num só inverno”, conta {person}'],
    },
    religion: {
      tags: ['religião', 'património'],
      titles: ['Romaria percorre {n} quilômetros até capela reaberta {in}'],
    },
    lifestyle: { tags: ['gastronomia', 'lazer'], titles: ['{n} sopas para provar na feira de inverno {in}'] },
    weather: { tags: ['tempo', 'tempestade'], titles: ['Tempestade {in}: rajadas de {n} km/h'] },
  },
  rarities: [
    ['lifestyle', 'O tamanduá que visitou a biblioteca'],
    ['discovery', 'Cravo barroco achado num sótão volta a soar'],
    ['opinion', 'Elogio da broa de milho'],
  ],
  standfirsts: [
    '{Body} divulga os detalhes na quinta-feira; os moradores podem opinar até o fim do mês.',
    'O que se sabe, o que falta saber e o que pode acontecer agora {in}.',
    '{Body} confirmou os números na segunda-feira e prometeu um relatório em {n} dias.',
    'Ouvimos {in} quem acompanha o assunto há anos.',
    'A oposição quer uma comissão de inquérito; {body} não vê razão para isso.',
    'O mais importante em três minutos, com imagens e um mapa.',
    'Vozes, números e contexto da nossa redação.',
  ],
  teasers: ['Você não vai acreditar: ', 'Está todo mundo falando nisso: ', 'URGENTE! '],
  sections: {
    politics: 'Política',
    economy: 'Economia',
    world: 'Mundo',
    society: 'Sociedade',
    science: 'Ciência',
    sport: 'Esporte',
    culture: 'Cultura',
    local: 'Cidade',
  },
}
