#if !canImport(UIKit) || os(Linux)
// How the drop-in modules observe: code that reads observable properties is noted, and runs again when one of them has
// changed. Everything belongs to the main actor.

/// The watches to check when one stored property changes.
@MainActor package final class Watchers {
  /// The properties that were read while a watch evaluates; nil while none does.
  package static var reading: [Watchers]?
  /// The watches that wait for the end of a batch; nil outside of one.
  private static var delayed: [Watch]?

  private var watches: [WeakWatch] = []

  private struct WeakWatch {
    weak var watch: Watch?
  }

  package init() {}

  /// The property is read: the watch that evaluates now depends on it.
  package func read() { Watchers.reading?.append(self) }

  package func add(_ watch: Watch) {
    watches.removeAll { $0.watch == nil }
    watches.append(WeakWatch(watch: watch))
  }

  package func remove(_ watch: Watch) { watches.removeAll { $0.watch == nil || $0.watch === watch } }

  package func changed() {
    // A watch may end others, or begin new ones, while it calls its observer.
    for each in watches {
      guard let watch = each.watch else { continue }
      if Watchers.delayed == nil {
        watch.look()
      } else if Watchers.delayed?.contains(where: { $0 === watch }) == false {
        Watchers.delayed?.append(watch)
      }
    }
  }

  /// Does something whose reads don't count as dependencies.
  package static func untracked<Result>(_ body: () throws -> Result) rethrows -> Result {
    let outer = reading
    reading = nil
    defer { reading = outer }
    return try body()
  }

  /// Makes several changes: each watch that depends on any of them looks once, after all of them.
  package static func batch<Result>(_ changes: () throws -> Result) rethrows -> Result {
    guard delayed == nil else { return try changes() }
    delayed = []
    defer {
      let due = delayed ?? []
      delayed = nil
      for watch in due { watch.look() }
    }
    return try changes()
  }
}

/// One observation of one value, stored or computed.
@MainActor package class Watch: KeyValueWatch {
  private var sources: [Watchers] = []
  package private(set) var isOver = false

  package init() {}

  /// Evaluates `read` and notes what it depends on.
  package func follow<Value>(_ read: () -> Value) -> Value {
    for source in sources { source.remove(self) }
    let outer = Watchers.reading
    Watchers.reading = []
    let value = read()
    var unique: [Watchers] = []
    var known: Set<ObjectIdentifier> = []
    for source in Watchers.reading ?? [] where known.insert(ObjectIdentifier(source)).inserted { unique.append(source) }
    Watchers.reading = outer
    sources = unique
    if !isOver { for source in sources { source.add(self) } }
    return value
  }

  /// Something that the value depends on has changed.
  package func look() {}

  package func end() {
    isOver = true
    for source in sources { source.remove(self) }
    sources = []
  }
}

/// An observation of whatever a block reads, which follows it by itself.
@MainActor package final class BlockWatch: Watch {
  private let changed: (BlockWatch) -> Void

  package init(_ changed: @escaping (BlockWatch) -> Void) { self.changed = changed }

  package override func look() { if !isOver { changed(self) } }
}

/// An observation that reports the old and the new value.
@MainActor package final class ValueWatch<Value: Equatable>: Watch {
  package private(set) var value: Value
  private let read: () -> Value?
  private let report: (_ before: Value, _ after: Value) -> Void

  /// Nil when there is nothing to read.
  package init?(_ read: @escaping () -> Value?, tell report: @escaping (_ before: Value, _ after: Value) -> Void) {
    guard let value = read() else { return nil }
    self.value = value
    self.read = read
    self.report = report
    super.init()
    _ = follow(read)
  }

  package override func look() {
    guard !isOver, let after = follow(read), after != value else { return }
    let before = value
    value = after
    report(before, after)
  }
}
#endif
