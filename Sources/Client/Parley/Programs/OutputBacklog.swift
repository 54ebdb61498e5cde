/// The texts that wait in an ``OutputQueue``, oldest first, and how many were dropped before them.
struct OutputBacklog {
  private var texts: [String] = []
  /// Those before it are taken out already.
  private var first = 0
  private var bytes = 0
  private(set) var dropped = 0

  var count: Int { texts.count - first + dropped }
  var isEmpty: Bool { count == 0 }

  /// Adds a text, and drops the oldest ones while they are more than `capacity` bytes together. The newest always
  /// stays.
  mutating func append(_ text: String, capacity: Int) {
    texts.append(text)
    bytes += text.utf8.count
    while bytes > capacity, texts.count - first > 1 {
      _ = removeText()
      dropped += 1
    }
  }

  /// Takes the oldest text out; with what `notice` says of those that were dropped before it.
  mutating func removeFirst(_ notice: (Int) -> String?) -> String {
    let before = dropped > 0 ? notice(dropped) ?? "" : ""
    dropped = 0
    return first < texts.count ? before + removeText() : before
  }

  private mutating func removeText() -> String {
    let text = texts[first]
    texts[first] = ""
    first += 1
    bytes -= text.utf8.count
    if first == texts.count || first >= 1_024 {
      texts.removeFirst(first)
      first = 0
    }
    return text
  }
}
