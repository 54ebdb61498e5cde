/// The days that a rule names from a start on, in their order, as if it never ended. Days count from the first of
/// January 1970.
struct RecurrenceDays: Sequence, IteratorProtocol {
  private let rule: RecurrenceRule
  private let start: CivilTime
  /// How many steps were taken.
  private var step = 0
  /// The days of the step, the last first.
  private var days: [Int] = []

  /// No rule is looked at for longer: about 50 years of days. Some rules hardly ever name a day.
  private static let maximumSteps = 20_000

  init(_ rule: RecurrenceRule, from start: CivilTime) {
    self.rule = rule
    self.start = start
  }

  mutating func next() -> Int? {
    while days.isEmpty {
      guard step < Self.maximumSteps else { return nil }
      days = self.days(ofStep: step * rule.interval).filter { $0 >= start.day }.sorted(by: >)
      step += 1
    }
    return days.removeLast()
  }

  private func days(ofStep step: Int) -> [Int] {
    switch rule.frequency {
    case .daily:
      let day = start.day + step
      let weekday = CivilTime.weekday(of: day)
      return rule.weekdays.isEmpty || rule.weekdays.contains { $0.day == weekday } ? [day] : []
    case .weekly:
      let monday = start.day - start.weekday + step * 7
      let weekdays = rule.weekdays.isEmpty ? [start.weekday] : rule.weekdays.map(\.day)
      return weekdays.map { monday + $0 }
    case .monthly:
      let date = CivilTime.date(of: start.day)
      let months = date.year * 12 + date.month - 1 + step
      guard months / 12 <= 9_999 else { return [] }
      return self.days(inMonth: months % 12 + 1, of: months / 12, startDay: date.day)
    case .yearly:
      let date = CivilTime.date(of: start.day)
      guard date.year + step <= 9_999 else { return [] }
      return days(inMonth: date.month, of: date.year + step, startDay: date.day)
    }
  }

  private func days(inMonth month: Int, of year: Int, startDay: Int) -> [Int] {
    let first = CivilTime.day(year, month, 1)
    let count = CivilTime.days(in: month, of: year)
    guard rule.weekdays.isEmpty else {
      let all = rule.weekdays.flatMap { weekday -> [Int] in
        let start = (weekday.day - CivilTime.weekday(of: first) + 7) % 7
        let days = Swift.stride(from: first + start, to: first + count, by: 7).map { $0 }
        if weekday.ordinal == 0 { return days }
        let index = weekday.ordinal > 0 ? weekday.ordinal - 1 : days.count + weekday.ordinal
        return days.indices.contains(index) ? [days[index]] : []
      }
      // 2TU and TU may both name a day.
      return Array(Set(all))
    }
    let wanted = rule.monthDays.isEmpty ? [startDay] : rule.monthDays
    return Array(
      Set(
        wanted.compactMap { day in
          let number = day > 0 ? day : count + 1 + day
          return (1...count).contains(number) ? first + number - 1 : nil
        }))
  }
}
