import BBMEnterprise
import BBMSupport
import Foundation
import UIKit

/// Does what a person would do with the phone, and reports its calls.
final class PhoneVisitor: Visitor, BBMMediaDelegate {
  static let usage =
    [
      #"{"command":"call","user":NAME,"video":BOOL}, {"command":"accept","video":BOOL}, {"command":"decline"}"#,
      #"{"command":"mute"}, {"command":"camera"}, {"command":"switchCamera"}, {"command":"end"}, {"command":"history"}"#,
      #"{"command":"save","view":"other" or "own","path":PATH}"#,
    ] + FileVisitor.usage

  private let calls: CallCenter
  private let phone: PhoneViewController
  private let files: FileVisitor
  private var history: CallHistory?
  private var historyMonitor: ObservableMonitor?
  private var muteMonitor: ObservableMonitor?
  private var lastHistory = ""

  init(_ options: AppOptions, _ screen: any AccountScreen, _ calls: CallCenter, _ phone: PhoneViewController) {
    self.calls = calls
    self.phone = phone
    files = FileVisitor(calls.session)
    super.init(options, screen)
  }

  override func setupSucceeded() {
    calls.start()
    files.start()
    BBMEnterpriseService.shared().mediaManager().add(self as BBMMediaDelegate)
    muteMonitor = ObservableMonitor(activatedWithName: "mute") { [weak self] () -> Void in
      guard let call = self?.calls.current else { return }
      if call.muted { self?.report("muted", call) } else if call.connectedTime > 0 { self?.report("unmuted", call) }
    }
  }

  override func willStop() { calls.hangUp() }

  override func perform(_ command: String, _ fields: JSONFields) -> Bool {
    let video = fields.flag("video")
    switch command {
    case "call": phone.call(fields.text("user") ?? "", video: video)
    case "accept": calls.answer(video: video)
    case "decline": calls.decline()
    case "mute": phone.callScreen?.toggleMute()
    case "camera": phone.callScreen?.toggleVideo()
    case "switchCamera": phone.callScreen?.switchCamera()
    case "end": calls.hangUp()
    case "history": showHistory()
    case "save": save(fields.text("view") ?? "other", fields.text("path") ?? "")
    default: return files.perform(command, fields)
    }
    return true
  }

  // MARK: calls

  private func report(_ state: String, _ call: BBMCall) {
    Journal.report(
      "call",
      [
        "state": state, "regId": call.peerRegId ?? "", "isIncoming": call.incoming, "muted": call.muted,
        "reason": CallLog.reason(call.logType) ?? "",
        "isElsewhere": call.logType == kCallLogCompletedElsewhere || call.logType == kCallLogDeclinedElsewhere,
      ])
  }

  func incomingCallDidArrive(_ call: BBMCall!) { report("incoming", call) }
  func outgoingCallInitiated(_ call: BBMCall!) { report("initiated", call) }
  func outgoingCallRinging(_ call: BBMCall!) { report("ringing", call) }
  func callConnected(_ call: BBMCall!) { report("connected", call) }
  func callDidFail(_ call: BBMCall!) { report("failed", call) }
  func callEnded(_ call: BBMCall!) { report("ended", call) }

  // MARK: media

  /// One side's video is shown, with a size once a frame has come; without one it isn't shown any more.
  func videoChanged(_ side: String, _ size: CGSize?) {
    Journal.report(
      "media",
      ["view": side, "isShown": size != nil, "width": Int(size?.width ?? 0), "height": Int(size?.height ?? 0)])
  }

  private func save(_ side: String, _ path: String) {
    let data = phone.callScreen?.picture(of: side)?.pngData()
    let isSaved = data.map { (try? $0.write(to: URL(fileURLWithPath: path), options: .atomic)) != nil } ?? false
    Journal.report("saved", ["view": side, "path": path, "succeeded": isSaved])
  }

  // MARK: history

  private func showHistory() {
    let history = self.history ?? CallHistory(calls.session.names)
    self.history = history
    historyMonitor = ObservableMonitor(activatedWithName: "history") { [weak self] () -> Void in
      guard let self, !history.isPending else { return }
      let words = history.entries.map { $0.words }
      guard "\(words)" != lastHistory else { return }
      lastHistory = "\(words)"
      Journal.report("history", ["calls": words])
    }
  }
}
