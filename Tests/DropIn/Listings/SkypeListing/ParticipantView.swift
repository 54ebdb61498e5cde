// Apps unwrap by force, as the SDK's samples do.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import SkypeForBusiness
import UIKit

/// Draws what the SDK decodes.
class ParticipantView: UIView {
  override class var layerClass: AnyClass { return CAEAGLLayer.self }
}

/// Somebody in the meeting, whose picture is drawn without the SDK's helper, by a display link of the app's own.
class ParticipantCell: UITableViewCell {
  let videoView = ParticipantView(frame: CGRect(x: 0, y: 0, width: 160, height: 90))
  let audioLabel = UILabel()
  let typing = UIActivityIndicatorView(style: .medium)
  var stream: SfBVideoStream?
  var displayLink: CADisplayLink?
  var values: [Bool] = []
  private let context = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

  var participant: SfBParticipant? {
    willSet {
      participant?.removeObserver(self, forKeyPath: "person.displayName", context: context)
      participant?.chat.removeObserver(self, forKeyPath: "isTyping", context: context)
      participant?.audio.removeObserver(self, forKeyPath: "isMuted", context: context)
      participant?.video.removeObserver(self, forKeyPath: "canSubscribe", context: context)
    }
    didSet {
      participant?.addObserver(self, forKeyPath: "person.displayName", options: [.initial], context: context)
      participant?.chat.addObserver(self, forKeyPath: "isTyping", options: [.initial], context: context)
      participant?.audio.addObserver(self, forKeyPath: "isMuted", options: [.initial, .new], context: context)
      participant?.video.addObserver(
        self, forKeyPath: "canSubscribe", options: [.initial, .new, .old], context: context)
    }
  }

  override func observeValue(
    forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?, context: UnsafeMutableRawPointer?
  ) {
    guard context == self.context else {
      return super.observeValue(forKeyPath: keyPath, of: object, change: change, context: context)
    }
    switch keyPath! {
    case "person.displayName":
      textLabel?.text = participant?.person.displayName
    case "isTyping":
      if participant!.chat.isTyping { typing.startAnimating() } else { typing.stopAnimating() }
    case "isMuted":
      audioLabel.text = (change![.newKey] as! NSNumber).boolValue ? "Muted" : "Audio"
    case "canSubscribe":
      let canSubscribe = change![.newKey] as! Bool
      values.append(canSubscribe)
      stream = canSubscribe ? try? participant?.video.subscribe((videoView.layer as! CAEAGLLayer)) : nil
      try? stream?.setAutoFitMode(.crop)
      drawPictures()
    default:
      assertionFailure()
    }
  }

  private func drawPictures() {
    if displayLink == nil {
      displayLink = CADisplayLink(target: self, selector: ParticipantCell.render)
      displayLink!.add(to: RunLoop.current, forMode: .default)
    }
    displayLink!.isPaused = stream == nil
  }

  func render(_ sender: CADisplayLink) {
    if UIApplication.shared.applicationState == .active { try? stream?.render() }
  }

  override func didMoveToSuperview() {
    super.didMoveToSuperview()
    if superview == nil {
      displayLink?.invalidate()
      displayLink = nil
      participant = nil
    }
  }
}
