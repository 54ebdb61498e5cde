#if !canImport(UIKit) || os(Linux)
public import Foundation

extension UITableView {
  /// Makes rows of a class when one of this kind is asked for: by its `init(coder:)`, as from a storyboard, since Linux
  /// cannot call another initialiser of a class that it only knows at run time. For rows that need one, use
  /// ``register(forCellReuseIdentifier:_:)``.
  public func register(_ cellClass: AnyClass?, forCellReuseIdentifier identifier: String) {
    guard let cellClass = cellClass as? UITableViewCell.Type else {
      makers[identifier] = nil
      return
    }
    makers[identifier] = { cellClass.init(coder: NSKeyedArchiver(requiringSecureCoding: false)) }
  }

  /// Makes rows by a closure when one of this kind is asked for.
  public func register(forCellReuseIdentifier identifier: String, _ make: @escaping @MainActor () -> UITableViewCell) {
    makers[identifier] = make
  }

  /// A row of a kind that is not in use any more, or a new one; nil when nobody registered the kind.
  public func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? {
    if let cell = pool[identifier]?.popLast() {
      cell.prepareForReuse()
      return cell
    }
    let cell = makers[identifier]?()
    cell?.reuseIdentifier = identifier
    return cell
  }

  /// A row of a kind, which is a plain one when nobody registered the kind.
  public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell {
    dequeueReusableCell(withIdentifier: identifier) ?? UITableViewCell(style: .default, reuseIdentifier: identifier)
  }

  /// How many sections there are.
  public var numberOfSections: Int { dataSource?.numberOfSections(in: self) ?? 0 }
  /// How many rows a section has.
  public func numberOfRows(inSection section: Int) -> Int {
    dataSource?.tableView(self, numberOfRowsInSection: section) ?? 0
  }

  /// The row at a place; nil when it is not there.
  public func cellForRow(at indexPath: IndexPath) -> UITableViewCell? {
    layoutIfNeeded()
    guard sections.indices.contains(indexPath.section),
      sections[indexPath.section].cells.indices.contains(indexPath.row)
    else { return nil }
    return sections[indexPath.section].cells[indexPath.row]
  }

  /// The place of a row; nil if it isn't in the list.
  public func indexPath(for cell: UITableViewCell) -> IndexPath? {
    for (section, content) in sections.enumerated() {
      if let row = content.cells.firstIndex(where: { $0 === cell }) { return IndexPath(row: row, section: section) }
    }
    return nil
  }

  /// The row at a point of the content.
  public func indexPathForRow(at point: CGPoint) -> IndexPath? {
    layoutIfNeeded()
    return sections.lazy.flatMap(\.cells).first { $0.frame.contains(point) }.flatMap { indexPath(for: $0) }
  }

  /// The rows in sight.
  public var visibleCells: [UITableViewCell] {
    layoutIfNeeded()
    return sections.flatMap(\.cells).filter { $0.frame.intersects(bounds) }
  }

  /// The places of the rows in sight.
  public var indexPathsForVisibleRows: [IndexPath]? { visibleCells.compactMap { indexPath(for: $0) } }
  /// The row that is selected.
  public var indexPathForSelectedRow: IndexPath? { selected }

  /// Selects a row without calling the delegate; nil selects none.
  public func selectRow(at indexPath: IndexPath?, animated: Bool, scrollPosition: ScrollPosition) {
    if let selected { cellForRow(at: selected)?.setSelected(false, animated: animated) }
    selected = indexPath
    guard let indexPath else { return }
    cellForRow(at: indexPath)?.setSelected(true, animated: animated)
    if scrollPosition != .none { scrollToRow(at: indexPath, at: scrollPosition, animated: animated) }
  }

  /// Selects a row no more.
  public func deselectRow(at indexPath: IndexPath, animated: Bool) {
    guard selected == indexPath else { return }
    selected = nil
    cellForRow(at: indexPath)?.setSelected(false, animated: animated)
  }

  /// Scrolls to a row.
  public func scrollToRow(at indexPath: IndexPath, at position: ScrollPosition, animated: Bool) {
    if needsLayout {
      pendingScroll = (indexPath, position)
      return
    }
    guard let frame = cellForRow(at: indexPath)?.frame else { return }
    let highest = max(contentSize.height - bounds.height, 0)
    switch position {
    case .none: scrollRectToVisible(frame, animated: animated)
    case .top: contentOffset.y = min(frame.minY, highest)
    case .middle: contentOffset.y = min(max(frame.midY - bounds.height / 2, 0), highest)
    case .bottom: contentOffset.y = min(max(frame.maxY - bounds.height, 0), highest)
    }
  }

  /// A person has chosen a row.
  func choose(_ indexPath: IndexPath) {
    let asked: IndexPath? = if let delegate { delegate.tableView(self, willSelectRowAt: indexPath) } else { indexPath }
    guard allowsSelection, let path = asked,
      cellForRow(at: path) != nil
    else { return }
    if let old = selected, old != path {
      deselectRow(at: old, animated: false)
      delegate?.tableView(self, didDeselectRowAt: old)
    }
    selectRow(at: path, animated: false, scrollPosition: .none)
    delegate?.tableView(self, didSelectRowAt: path)
  }
}
#endif
