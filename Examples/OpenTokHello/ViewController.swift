import Foundation
import OpenTok
import ParleyViews

private let widgetHeight: CGFloat = 240
private let widgetWidth: CGFloat = 320

/// Publishes to a session and subscribes to one stream of it: the own picture above, the other one below.
class ViewController: UIViewController {
  private var session: OTSession?
  private var publisher: OTPublisher?
  private var subscriber: OTSubscriber?
  private let kApiKey: String
  private let kSessionId: String
  private let kToken: String
  /// Whether the own stream is subscribed to, instead of somebody else's.
  private let subscribeToSelf: Bool
  private let log: (String, [String: String]) -> Void

  init(_ settings: Settings, log: @escaping (String, [String: String]) -> Void) {
    (kApiKey, kSessionId, kToken) = (settings.apiKey, settings.sessionId, settings.token)
    subscribeToSelf = settings.subscribeToSelf
    self.log = log
    super.init(nibName: nil, bundle: nil)
  }

  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    title = "OpenTok Hello"
    view.backgroundColor = .white
    session = OTSession(sessionId: kSessionId, andDelegate: self)
    doConnect()
  }

  func doConnect() { session?.connect(withApiKey: kApiKey, token: kToken) }

  func doPublish() {
    publisher = OTPublisher(delegate: self)
    publisher?.name = UIDevice.current.name
    session?.publish(publisher)
    guard let preview = publisher?.view else { return }
    preview.frame = CGRect(x: 0, y: 0, width: widgetWidth, height: widgetHeight)
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

  private func isWanted(_ stream: OTStream) -> Bool {
    (stream.connection.connectionId == session?.connection?.connectionId) == subscribeToSelf
  }

  func disconnect() { session?.disconnect() }

  private func showAlert(_ string: String) {
    log("alert", ["text": string])
    let alert = UIAlertController(title: "Message from video session", message: string, preferredStyle: .alert)
    alert.addAction(UIAlertAction(title: "OK", style: .default))
    present(alert, animated: true)
  }
}

// MARK: - The session

extension ViewController: OTSessionDelegate {
  func sessionDidConnect(_ session: OTSession) {
    log("connected", ["connection": session.connection?.connectionId ?? ""])
    doPublish()
  }

  func sessionDidDisconnect(_ session: OTSession) {
    log("disconnected", [:])
    showAlert("Session disconnected: \(session.sessionId)")
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
    showAlert("There was an error connecting to session \(session.sessionId): \(error.localizedDescription)")
  }

  func session(
    _ session: OTSession, receivedSignalType type: String?, from connection: OTConnection?, with string: String?
  ) {
    let isOwn = connection?.connectionId == session.connection?.connectionId
    log("signal", ["type": type ?? "", "data": string ?? "", "own": "\(isOwn)"])
    // What somebody asks is answered, so that both directions can be seen.
    if type == "hello", !isOwn {
      session.signal(
        withType: "hello", string: "Back from the app: \(string ?? "")", connection: connection, error: nil)
    }
  }
}

// MARK: - The streams

extension ViewController: OTPublisherDelegate, OTSubscriberDelegate {
  func publisherDidStartStreaming(_ publisher: OTPublisherKit) { log("publishing", [:]) }

  func publisher(_ publisher: OTPublisherKit, didFailWithError error: OTError) {
    showAlert("There was an error publishing: \(error.localizedDescription)")
  }

  func subscriberDidConnect(toStream subscriber: OTSubscriberKit) {
    guard let view = self.subscriber?.view else { return }
    view.frame = CGRect(x: 0, y: widgetHeight, width: widgetWidth, height: widgetHeight)
    self.view.addSubview(view)
    log("subscribed", ["stream": subscriber.stream?.streamId ?? ""])
  }

  func subscriberVideoDataReceived(_ subscriber: OTSubscriber) {
    log("picture", ["stream": subscriber.stream?.streamId ?? ""])
  }

  func subscriber(_ subscriber: OTSubscriberKit, didFailWithError error: OTError) {
    log("subscriberFailed", ["error": error.description])
    showAlert(
      "There was an error subscribing to stream \(subscriber.stream?.streamId ?? ""): \(error.localizedDescription)")
  }

  /// The picture of the subscriber as PNG; nil before there is one.
  func snapshot() -> Data? {
    var image: Data?
    subscriber?.view.getImageWithBlock { image = $0 }
    return image
  }
}
