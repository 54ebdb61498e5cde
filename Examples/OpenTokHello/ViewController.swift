import Foundation
import OpenTok
import UIKit

private let widgetHeight: CGFloat = 240
private let widgetWidth: CGFloat = 320

/// Publishes to a session and subscribes to one stream of it: the own picture above, the other one below.
class ViewController: UIViewController {
  private var session: OTSession?
  private var publisher: OTPublisher?
  private var subscriber: OTSubscriber?
  private var settings: Settings
  private let log: (String, [String: String]) -> Void
  /// What there is to say where there is no picture: above of the own one, below of the other.
  private let upperNote = UILabel(frame: .zero)
  private let lowerNote = UILabel(frame: .zero)

  init(_ settings: Settings, log: @escaping (String, [String: String]) -> Void) {
    self.settings = settings
    self.log = log
    super.init(nibName: nil, bundle: nil)
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "OpenTok Hello"
    view.backgroundColor = UIColor(white: 0.13, alpha: 1)
    for note in [upperNote, lowerNote] {
      note.textColor = UIColor(white: 0.85, alpha: 1)
      note.font = .systemFont(ofSize: 14)
      note.textAlignment = .center
      note.numberOfLines = 0
      view.addSubview(note)
    }
    upperNote.text = "Connecting…"
    settings.complete { [weak self] result in MainActor.assumeIsolated { self?.begin(result) } }
  }

  private func begin(_ result: Result<Settings, SettingsError>) {
    switch result {
    case .success(let settings):
      self.settings = settings
      session = OTSession(sessionId: settings.sessionId, andDelegate: self)
      doConnect()
    case .failure(let error):
      if settings.isHeadless { Settings.fail(error.description) }
      showEnd(error.description)
    }
  }

  // MARK: Places

  override func viewDidLayoutSubviews() {
    super.viewDidLayoutSubviews()
    let (upper, lower) = places
    publisher?.view?.frame = upper
    subscriber?.view?.frame = lower
    upperNote.frame = upper.insetBy(dx: 12, dy: 12)
    lowerNote.frame = lower.insetBy(dx: 12, dy: 12)
    // What a picture hides is not read out either.
    upperNote.isHidden = publisher?.view?.superview === view
    lowerNote.isHidden = subscriber?.view?.superview === view && subscriber?.view?.isHidden == false
  }

  /// Where the two pictures lie: one above the other, in their shape, as large as the window lets them.
  private var places: (upper: CGRect, lower: CGRect) {
    let bounds = view.bounds
    let width = min(bounds.width, bounds.height / 2 * widgetWidth / widgetHeight)
    let height = width * widgetHeight / widgetWidth
    let upper = CGRect(x: (bounds.width - width) / 2, y: bounds.height / 2 - height, width: width, height: height)
    return (upper, upper.offsetBy(dx: 0, dy: height))
  }

  // MARK: Doing

  func doConnect() { session?.connect(withApiKey: settings.apiKey, token: settings.token) }

  func doPublish() {
    publisher = OTPublisher(delegate: self)
    publisher?.name = UIDevice.current.name
    session?.publish(publisher)
    guard let preview = publisher?.view else { return }
    view.addSubview(preview)
  }

  /// Subscribes to the first stream that fits.
  func updateSubscriber() {
    guard subscriber == nil, let session else { return }
    for stream in session.streams.values where isWanted(stream) {
      subscriber = OTSubscriber(stream: stream, delegate: self)
      break
    }
  }

  /// With `--self` the own stream is subscribed to, else that of somebody else.
  private func isWanted(_ stream: OTStream) -> Bool {
    (stream.connection.connectionId == session?.connection?.connectionId) == settings.subscribeToSelf
  }

  func disconnect() { session?.disconnect() }

  private var nobodyElse: String {
    "Nobody else is here yet. Open \(settings.server)/browser_demo.html to be seen here."
  }

  private func showReconnecting(_ isReconnecting: Bool) {
    subscriber?.view?.isHidden = isReconnecting
    lowerNote.text = isReconnecting ? "Reconnecting…" : nobodyElse
    view.setNeedsLayout()
  }

  private func showAlert(_ string: String) {
    log("alert", ["text": string])
    let alert = UIAlertController(title: "Message from video session", message: string, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default))
    present(alert, animated: true)
  }

  /// Nothing comes any more: says why.
  private func showEnd(_ why: String) {
    (publisher, subscriber) = (nil, nil)
    (upperNote.text, lowerNote.text) = ("Not connected.", "")
    showAlert(why)
  }
}

// MARK: - The session

extension ViewController: OTSessionDelegate {
  func sessionDidConnect(_ session: OTSession) {
    log("connected", ["connection": session.connection?.connectionId ?? ""])
    upperNote.text = "Starting the camera…"
    lowerNote.text = nobodyElse
    doPublish()
  }

  // A last picture would look as if it were live: the words stand in its place until the connection is back.
  func sessionDidBeginReconnecting(_ session: OTSession) {
    log("reconnecting", [:])
    showReconnecting(true)
  }

  func sessionDidReconnect(_ session: OTSession) {
    log("reconnected", [:])
    showReconnecting(false)
  }

  func sessionDidDisconnect(_ session: OTSession) {
    log("disconnected", [:])
    showEnd("Session disconnected: \(session.sessionId)")
  }

  func session(_ session: OTSession, didReceive stream: OTStream) {
    log("received", ["stream": stream.streamId, "name": stream.name ?? ""])
    if subscriber == nil, isWanted(stream) { subscriber = OTSubscriber(stream: stream, delegate: self) }
  }

  func session(_ session: OTSession, didDrop stream: OTStream) {
    log("dropped", ["stream": stream.streamId])
    guard subscriber?.stream?.streamId == stream.streamId else { return }
    subscriber = nil
    updateSubscriber()
  }

  func session(_ session: OTSession, didFailWithError error: OTError) {
    log("failed", ["error": error.description])
    let why = "There was an error connecting to session \(session.sessionId): \(error.localizedDescription)"
    showEnd(why)
    if settings.isHeadless { Settings.fail(why) }
  }

  func session(
    _ session: OTSession, receivedSignalType type: String?, from connection: OTConnection?, with string: String?
  ) {
    let isOwn = connection?.connectionId == session.connection?.connectionId
    log("signal", ["type": type ?? "", "data": string ?? "", "own": "\(isOwn)"])
    // What somebody asks is answered, so that both directions can be seen: them alone, since a signal of the app's server has no sender and its
    // answer would go to everybody, and with another type, so that no app answers an answer.
    if type == "hello", let connection, !isOwn {
      session.signal(
        withType: "hello-back", string: "Back from the app: \(string ?? "")", connection: connection, error: nil)
    }
  }
}

// MARK: - The streams

extension ViewController: OTPublisherDelegate, OTSubscriberDelegate {
  func publisherDidStartStreaming(_ publisher: OTPublisherKit) { log("publishing", [:]) }

  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {
    self.publisher?.view.removeFromSuperview()
    self.publisher = nil
    upperNote.text = "You are not seen."
    showAlert("There was an error publishing: \(error.localizedDescription)")
  }

  func subscriberDidConnect(toStream subscriber: OTSubscriberKit) {
    guard let view = self.subscriber?.view else { return }
    self.view.addSubview(view)
    log("subscribed", ["stream": subscriber.stream?.streamId ?? ""])
  }

  func subscriberVideoDataReceived(_ subscriber: OTSubscriber) {
    log("picture", ["stream": subscriber.stream?.streamId ?? ""])
  }

  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) {
    log("subscriberFailed", ["error": error.description])
    self.subscriber = nil
    showAlert(
      "There was an error subscribing to stream \(subscriber.stream?.streamId ?? ""): \(error.localizedDescription)")
  }

  /// The picture of the subscriber as PNG; nil before there is one.
  func snapshot() -> Data? {
    var image: Data?
    subscriber?.view.getImageWithBlock { image = $0?.pngData() }
    return image
  }
}
