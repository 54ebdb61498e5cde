import RuntimeCounter

/// A kind of work whose references and allocations are counted apart.
enum CountedWork: Int32, CaseIterable {
  /// All that is not measured.
  case other
  /// Packets come in and leave to their receivers.
  case packets
  /// Receivers' reports come in.
  case reports
  /// Timed work: reports of the server, requests, division of bandwidth.
  case timeouts

  /// Counts the following work as this kind.
  @inline(__always)
  func begin() { runtime_work(rawValue) }

  /// The counts of this kind so far.
  var counts: runtime_counts { runtime_counted(rawValue) }

  /// From here on it is counted.
  static func startCounting() { runtime_counting_begin() }

  /// A line on what was counted, for each of `count` of something.
  func line(_ title: String, _ count: Int, _ unit: String) -> String {
    let counts = counts
    return
      "\(title): \(counts.retains) retains, \(counts.releases) releases, \(counts.objects) objects and buffers, \(counts.allocations) allocations for \(count) \(unit)"
  }
}
