// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import SkypeForBusiness
import UIKit

/// The history of messages, joins and departures, as a guest's screen lists it: rows and cells observe by name.
class HistoryViewController: UIViewController, UITableViewDataSource {
  let tableView = UITableView(frame: CGRect(x: 0, y: 0, width: 320, height: 400), style: .plain)
  var kinds: [NSKeyValueChange] = []
  private let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

  var history: SfBHistoryService? {
    willSet {
      history?.removeObserver(self, forKeyPath: "activityItems", context: context)
    }
    didSet {
      history?.addObserver(self, forKeyPath: "activityItems", options: [.initial], context: context)
    }
  }

  override func viewDidLoad() {
    super.viewDidLoad()
    tableView.dataSource = self
    tableView.register(MessageCell.self, forCellReuseIdentifier: "MessageCell")
    tableView.register(ActivityCell.self, forCellReuseIdentifier: "ActivityCell")
    view.addSubview(tableView)
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {
    guard context == self.context else {
      return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
    let kind = NSKeyValueChange(rawValue: (change![.kindKey] as! NSNumber).uintValue)!
    let rows = (change![.indexesKey] as? IndexSet)?.map { IndexPath(row: $0, section: 0) } ?? []
    kinds.append(kind)
    switch kind {
    case .setting: tableView.reloadData()
    case .insertion: tableView.insertRows(at: rows, with: .automatic)
    case .removal: tableView.deleteRows(at: rows, with: .automatic)
    case .replacement: tableView.reloadData()
    }
  }

  func tableView(_ tableView: UITableView, numberOfRowsInSection section: Int) -> Int {
    return history?.activityItems.count ?? 0
  }

  func tableView(_ tableView: UITableView, cellForRowAt indexPath: IndexPath) -> UITableViewCell {
    switch history!.activityItems[indexPath.row] {
    case let message as SfBMessageActivityItem:
      let cell = tableView.dequeueReusableCell(withIdentifier: "MessageCell", for: indexPath) as! MessageCell
      cell.item = message
      return cell
    case let activity as SfBParticipantActivityItem:
      let cell = tableView.dequeueReusableCell(withIdentifier: "ActivityCell", for: indexPath) as! ActivityCell
      cell.item = activity
      return cell
    default:
      return UITableViewCell(style: .default, reuseIdentifier: nil)
    }
  }
}

/// A message: who wrote it, and what has become of it.
class MessageCell: UITableViewCell {
  let author = UILabel()
  let status = UILabel()
  private let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

  var item: SfBMessageActivityItem? {
    willSet {
      item?.removeObserver(self, forKeyPath: "sender.displayName", context: context)
      item?.removeObserver(self, forKeyPath: "status", context: context)
    }
    didSet {
      item?.addObserver(self, forKeyPath: "sender.displayName", options: [.initial, .new], context: context)
      item?.addObserver(self, forKeyPath: "status", options: [.initial, .new], context: context)
      textLabel?.text = item?.text
    }
  }

  override func prepareForReuse() {
    super.prepareForReuse()
    item = nil
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {
    guard context == self.context else {
      return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
    switch keyPath! {
    case "sender.displayName":
      author.text = change![.newKey] is NSNull ? "Unknown" : change![.newKey] as? String
    case "status":
      let value = change![.newKey] as! Int
      status.text = ["sending", "failed", "sent"][value]
    default:
      assertionFailure()
    }
  }
}

/// Somebody who came or went.
class ActivityCell: UITableViewCell {
  private let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

  var item: SfBParticipantActivityItem? {
    willSet {
      item?.removeObserver(self, forKeyPath: "person.displayName", context: context)
    }
    didSet {
      item?.addObserver(self, forKeyPath: "person.displayName", options: [.initial, .new], context: context)
    }
  }

  override func prepareForReuse() {
    super.prepareForReuse()
    item = nil
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {
    guard context == self.context else {
      return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
    let name = change![.newKey] as? String ?? "Somebody"
    textLabel?.text = "\(name) \(item!.type == .participantJoined ? "joined" : "left")"
  }
}
