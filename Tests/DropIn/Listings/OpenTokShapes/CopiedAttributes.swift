// A layout that changes copies of what its superclass says, and attributes with a property of the app's own.
// swift-format-ignore-file: NeverForceUnwrap
import UIKit

class SpeakerAttributes: UICollectionViewLayoutAttributes {
  var isSpeaking = false
  override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone) as! SpeakerAttributes
    copy.isSpeaking = isSpeaking
    return copy
  }
}

class FadingLayout: UICollectionViewFlowLayout {
  override class var layoutAttributesClass: AnyClass { SpeakerAttributes.self }

  override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
    let copies = super.layoutAttributesForElements(in: rect)?.map { $0.copy() as! UICollectionViewLayoutAttributes }
    copies?.forEach { $0.alpha = 0.5 }
    return copies
  }
}
