/// A local store that ends with its process: for tests, and for endpoints that come and go.
package actor MemoryStore: LocalStore {
  private var kept: [String: [[UInt8]]] = [:]

  package init() {}

  package func records(of name: String) -> [[UInt8]] { kept[name] ?? [] }

  package func names(prefix: String) -> [String] { kept.keys.filter { $0.hasPrefix(prefix) }.sorted() }

  package func apply(_ changes: [StoreChange]) {
    for change in changes {
      switch change {
      case .put(let name, let record): kept[name] = [record]
      case .append(let name, let record): kept[name, default: []].append(record)
      case .replace(let name, let records): kept[name] = records
      case .remove(let name): kept[name] = nil
      }
    }
  }

  package func removeAll() { kept = [:] }
}
