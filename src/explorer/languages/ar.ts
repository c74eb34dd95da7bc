/** Arabic. Names and values in sentences are isolated, because their direction may be another. */
import type { Translation } from './catalogue.ts'
import { charts } from './charts-ar.ts'
import { isolated } from './text-parts.ts'

const list = (texts: readonly string[]): string => texts.map(isolated).join('، ')

export const ar: Translation = {
  skip: 'انتقل إلى المحتوى',
  skipToResults: 'انتقل إلى النتائج',
  search: 'بحث',
  searchIn: (collection) => `البحث في ${isolated(collection)}`,
  home: 'الرئيسية',
  playground: 'محرر GraphQL',
  language: 'اللغة',
  collections: 'المجموعات',
  newest: 'الأحدث',
  filters: 'عوامل التصفية',
  apply: 'تطبيق',
  clear: 'إزالة كل عوامل التصفية',
  results: 'النتائج',
  noResults: 'لا توجد نتائج مطابقة.',
  noResultsHint: 'أزل أحد عوامل التصفية، أو ابحث بكلمات أقل.',
  didYouMean: 'هل تقصد',
  comma: '، ',
  records: {
    zero: 'لا سجلات',
    one: 'سجل واحد',
    two: 'سجلان',
    few: '{n} سجلات',
    many: '{n} سجلًا',
    other: '{n} سجل',
  },
  missing: 'بلا قيمة',
  exclude: 'استبعاد',
  include: 'تضمين',
  more: 'المزيد',
  from: 'من',
  to: 'إلى',
  sort: 'الترتيب',
  newestFirst: 'الأحدث أولًا',
  mostRelevant: 'الأكثر صلة أولًا',
  show: 'طريقة العرض',
  list: 'قائمة',
  table: 'جدول',
  cards: 'بطاقات',
  next: 'الصفحة التالية',
  previous: 'الصفحة السابقة',
  firstPage: 'الصفحة الأولى',
  yes: 'نعم',
  no: 'لا',
  indexedAt: 'وقت الفهرسة',
  updated: 'آخر سجل مفهرس:',
  timesInUtc: 'الأوقات بالتوقيت العالمي UTC.',
  timesInZone: (zone) => `الأوقات بتوقيت منطقتك، ${isolated(zone)}.`,
  sourceState: (name, state) => `${isolated(name)}: ${isolated(state)}`,
  wrongAddress: 'يطلب هذا العنوان شيئًا غير موجود',
  withoutProblems: 'المتابعة من دونه',
  notFound: 'هذه الصفحة غير موجودة.',
  failed: 'لا يمكن عرض هذه الصفحة',
  wrongPage: 'لا يدل هذا العنوان على صفحة من هذه القائمة. ابدأ بالصفحة الأولى، من دون «after» و«before».',
  tooExpensive: 'هذه الصفحة مكلفة جدًا. اختر مدة أقصر، أو عوامل تصفية وجوانب ومجموعات أقل.',
  wrongSearch: 'لا يمكن إجراء هذا البحث. اكتب كلمة واحدة على الأقل قد ترد في السجلات: لا تكفي الرموز.',
  wrongInput: 'ترفض الخدمة قيمة في هذا العنوان. غيّرها أو تابع من دونها. السبب بالإنجليزية:',
  tryAgain: 'أعد المحاولة',
  onlyRead: 'الصفحات للقراءة فقط: لا يمكن إرسال شيء إلى هذا العنوان.',
  openPage: 'افتح الصفحة',
  tooMany: (seconds) => `لقد أرسلت طلبات كثيرة في وقت قصير. أعد المحاولة بعد ${isolated(seconds)} ثانية.`,
  operator: {
    contact: 'للتواصل',
    note: 'الشروط ومصدر البيانات',
    source: 'المصدر',
    about: (service) => `ابحث في سجلات ${isolated(service)} وقارنها وصدّرها.`,
  },
  browse: {
    everything: 'البحث في كل شيء',
    searchAll: 'البحث في كل المجموعات',
    searchLead: 'كلمات، و“عبارات” بين علامتي اقتباس، وبداية*، و-استثناء، وOR',
    found: (words) => `نتائج البحث عن «${isolated(words)}»`,
    all: 'الكل',
    moreFacets: 'حقول أخرى',
    allValues: (field) => `كل قيم ${isolated(field)}`,
    columns: 'الأعمدة',
    facets: 'الجوانب',
    ascending: (field) => `${isolated(field)}، تصاعديًا`,
    descending: (field) => `${isolated(field)}، تنازليًا`,
    newRecords: {
      zero: 'لا سجلات جديدة',
      one: 'سجل جديد واحد',
      two: 'سجلان جديدان',
      few: '{n} سجلات جديدة',
      many: '{n} سجلًا جديدًا',
      other: '{n} سجل جديد',
    },
    pages: 'الصفحات',
    dates: (field) => `${isolated(field)}، بالتوقيت العالمي UTC`,
    noChart: 'حُذف المخطط لأن عوامل التصفية هذه مكلفة. يظهر المخطط مع عدد أقل منها.',
    fewFacets: 'حُذفت بعض الجوانب لأن هذا العرض مكلف. تجد قيمها تحت «حقول أخرى».',
    fewerFacets: 'اختر جوانب أو عوامل تصفية أقل لتظهر هنا.',
    skipFilters: 'تظهر الجوانب مع الصفحة الأولى.',
    undated: (field, count) =>
      `بحسب ترتيب الفهرسة: السجلات التي بلا «${isolated(field)}» بين غيرها (${isolated(count)}).`,
    missingFirst: (field) => `تأتي السجلات التي بلا «${isolated(field)}» أولًا.`,
    missingLast: (field) => `تأتي السجلات التي بلا «${isolated(field)}» أخيرًا.`,
  },
  filtering: {
    add: 'إضافة عامل تصفية',
    field: 'الحقل',
    next: 'متابعة',
    condition: 'الشرط',
    value: 'القيمة',
    between: 'نطاق',
    anyOf: 'أي من هذه القيم',
    present: 'له قيمة',
    absent: 'بلا قيمة',
    presence: 'بقيمة أو بلا قيمة',
    find: 'البحث عن قيمة',
    noValues: 'لا توجد قيمة مطابقة.',
    mostFrequent: (count) => `القيم الأكثر تكرارًا، وعددها ${isolated(count)}.`,
    findOthers: 'ابحث عن غيرها بجزء منها.',
    lookedThrough: (count) => `اقتصر البحث على القيم الأكثر تكرارًا، وعددها ${isolated(count)}.`,
    back: 'العودة إلى السجلات',
    by: (field) => `التصفية حسب ${isolated(field)}`,
    refersTo: (field) => `من ${isolated(field)}`,
    referring: (collection) => `من سجلات ${isolated(collection)} التي تشير إليه`,
    operators: {
      is: 'يساوي تمامًا',
      not: 'لا يساوي',
      all: 'يضم كل',
      missing: 'بلا قيمة',
      from: 'من',
      to: 'إلى',
      contains: 'يحتوي على',
      starts: 'يبدأ بـ',
      matches: 'فيه الكلمات',
    },
    sentences: {
      not: '{field}: ليس {value}',
      from: '{field}: من {value}',
      to: '{field}: إلى {value}',
      contains: '{field} يحتوي على {value}',
      starts: '{field} يبدأ بـ {value}',
      matches: '{field} فيه الكلمات {value}',
      isMissing: '{field}: بلا قيمة',
      isPresent: '{field}: له قيمة',
    },
    remove: (condition) => `إزالة عامل التصفية «${isolated(condition)}»`,
    reversed: (field) => `${isolated(field)}: يبدأ النطاق بعد نهايته، فلا يطابقه أي سجل.`,
    swap: 'بدّل بينهما',
  },
  front: {
    lead: (records, collections) => `${records} في ${collections}. ابحث فيها ورشّحها وعُدّها وقارنها.`,
    collections: {
      zero: 'لا مجموعات',
      one: 'مجموعة واحدة',
      two: 'مجموعتين',
      few: '{n} مجموعات',
      many: '{n} مجموعة',
      other: '{n} مجموعة',
    },
    examples: 'على سبيل المثال',
    both: (collection, one, other) => `${isolated(collection)}: ${isolated(one)}، ${isolated(other)}`,
    compare: (one, other) => `${isolated(one)} و${isolated(other)} كنسب عبر الزمن`,
    unusual: (collection, day) =>
      `${isolated(collection)}: غير المعتاد في الأسبوع المنتهي في ${isolated(day)}`,
    index: 'حداثة البيانات',
    lag: (seconds) => `متأخر ${isolated(seconds)} ث`,
    browseAll: (collection) => `تصفح ${isolated(collection)}`,
  },
  keys: {
    title: 'لوحة المفاتيح',
    search: 'الانتقال إلى البحث',
    next: 'النتيجة التالية',
    previous: 'النتيجة السابقة',
    open: 'فتح النتيجة',
    help: 'عرض هذه القائمة',
    close: 'إغلاق',
  },
  charts,
  record: {
    fields: 'الحقول',
    about: 'عن هذا السجل',
    account: 'الحساب',
    rev: 'المراجعة',
    changedAt: 'وقت التعديل',
    json: 'السجل بصيغة JSON',
    place: 'الموقع',
    map: 'على الخريطة',
    file: 'ملف',
    bytes: (count) => `${isolated(count)} بايت`,
    more: (count) => `و${isolated(count)} غيرها`,
    ofMost: (value, most) => `${isolated(value)} من ${isolated(most)}`,
    between: (value, least, most) => `${isolated(value)} (من ${isolated(least)} إلى ${isolated(most)})`,
    otherVersion: 'تغيّر بعد ذلك',
    referring: (collection, field) =>
      `${isolated(collection)} التي تشير إلى هذا السجل في «${isolated(field)}»`,
    newestOf: (count) => `أحدث ${isolated(count)}`,
    summary: (collection) => `${isolated(collection)}: ملخص`,
    total: 'عدد السجلات',
    first: 'الأول',
    last: 'الأخير',
    average: (field) => `متوسط ${isolated(field)}`,
    notIndexed: 'هذا السجل غير مفهرس هنا',
    notIndexedHint: 'ربما حُذف، أو لم يصل بعد.',
  },
  account: {
    none: 'ليس لهذا الحساب سجلات هنا',
    noneOfThese: 'ليس لهذا الحساب سجلات في هذه المجموعات',
    collections: (first, last, all) => `المجموعات من ${first} إلى ${last} من أصل ${all}`,
  },
  exportMenu: {
    titles: {
      list: 'خذ هذه السجلات معك',
      record: 'خذ هذا السجل معك',
      chart: 'خذ هذا المخطط معك',
      summary: 'خذ هذا الملخص معك',
    },
    playground: 'فتح في محرر GraphQL',
    embed: 'تضمين في صفحة',
    prompt: 'تعليمات لوكيل ذكاء اصطناعي',
    citation: 'الاستشهاد',
    cut: (rows, total) => `تحتوي الملفات على أول ${isolated(rows)} من ${isolated(total)}.`,
    indexState: (time) => `حالة الفهرس في ${isolated(time)}.`,
    copy: 'نسخ',
    copied: 'تم النسخ',
  },
  problem: (problem) => {
    switch (problem.kind) {
      case 'unknownParameter':
        return `لا يوجد حقل أو معامل باسم «${isolated(problem.name)}». أزله من العنوان.`
      case 'reservedName':
        return `«${isolated(problem.name)}» معامل لصفحات أخرى. اكتب الحقل هكذا: «${isolated(problem.condition)}».`
      case 'unknownOperator':
        return `الحقل «${isolated(problem.name)}» لا يقبل «${isolated(problem.operator)}»، بل يقبل: ${list(problem.operators)}.`
      case 'noSearch':
        return `«${problem.name}» يبحث عن كلمات، وليس في هذه السجلات نص يُبحث فيه. احذفه أو استعمل مرشحًا.`
      case 'longValue':
        return `قيمة «${isolated(problem.name)}» طويلة جدًا: الحد الأقصى لعدد الأحرف ${isolated(problem.most)}.`
      case 'notFlag':
        return `يجب أن تكون قيمة «${isolated(`${problem.name}.missing`)}» هي 1 أو 0.`
      case 'notInteger':
        return `يجب أن تكون قيمة «${isolated(problem.name)}» عددًا صحيحًا، لا «${isolated(problem.value)}».`
      case 'notBoolean':
        return `يجب أن تكون قيمة «${isolated(problem.name)}» هي true أو false، لا «${isolated(problem.value)}».`
      case 'notTime':
        return `يجب أن تكون قيمة «${isolated(problem.name)}» تاريخًا مثل ${isolated('2026-11-30')} أو وقتًا مثل ${isolated('2026-11-30T12:00:00Z')}، لا «${isolated(problem.value)}».`
      case 'tooManyConditions':
        return `الحد الأقصى لعدد عوامل التصفية هو ${isolated(problem.most)}.`
      case 'tooManyQueries':
        return `الحد الأقصى لعدد الاستعلامات هو ${isolated(problem.most)}.`
      case 'unknownChoice':
        return `لا يمكن أن تكون قيمة «${isolated(problem.name)}» هي «${isolated(problem.value)}».${problem.choices.length === 0 ? '' : ` القيم الممكنة: ${list(problem.choices.slice(0, 30))}${problem.choices.length > 30 ? '…' : '.'}`}`
    }
  },
}
