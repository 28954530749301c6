use crate::gather::Gather;
use crate::{Fields, Value};

fn read(packet: &[u8]) -> Vec<(String, String, String)> {
    let fields = Fields::all();
    let mut gather = Gather::new(&fields);
    super::read(packet, &mut gather);
    let text = |v: Value| match v {
        Value::List(list) => {
            format!("[{}]", list.iter().map(Value::plain).collect::<Vec<_>>().join(" | "))
        }
        other => other.plain(),
    };
    gather.tags.iter().map(|t| (t.group.to_string(), t.name.to_string(), text(t.text()))).collect()
}

const PACKET: &str = "<?xpacket begin='' id='W5M0'?><x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='kit'>
<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
<rdf:Description rdf:about='abc' xmlns:foo='http://foo/' xmlns:exif='http://ns.adobe.com/exif/1.0/'
 xmlns:my='http://purl.org/dc/elements/1.1/' foo:day='2020-01-02' exif:ExposureTime='1/60'>
<my:title><rdf:Alt><rdf:li xml:lang='x-default'>T &amp; &#x55;</rdf:li><rdf:li xml:lang='de'>D</rdf:li></rdf:Alt></my:title>
<foo:a rdf:parseType='Resource'><foo:b>1</foo:b><foo:c><rdf:Bag><rdf:li>x</rdf:li><rdf:li>y</rdf:li></rdf:Bag></foo:c></foo:a>
<foo:res rdf:resource='http://x/'/><foo:st foo:f1='1' foo:f2='2'/><foo:empty/>
<foo:q><rdf:Description><rdf:value>V</rdf:value></rdf:Description></foo:q>
</rdf:Description></rdf:RDF></x:xmpmeta>";

#[test]
fn every_form_of_rdf() {
    let tags = read(PACKET.as_bytes());
    let tags: Vec<(&str, &str, &str)> =
        tags.iter().map(|(g, n, v)| (g.as_str(), n.as_str(), v.as_str())).collect();
    assert_eq!(
        tags,
        [
            ("XMP-x", "XMPToolkit", "kit"),
            ("XMP-rdf", "About", "abc"),
            ("XMP-foo", "Day", "2020-01-02"),
            ("XMP-exif", "ExposureTime", "1/60"),
            ("XMP-dc", "Title", "T & U"),
            ("XMP-dc", "Title-de", "D"),
            ("XMP-foo", "AB", "1"),
            ("XMP-foo", "AC", "[x | y]"),
            ("XMP-foo", "Res", "http://x/"),
            ("XMP-foo", "StF1", "1"),
            ("XMP-foo", "StF2", "2"),
            ("XMP-foo", "Empty", ""),
            ("XMP-foo", "TagQ", "V"),
        ]
    );
}

#[test]
fn every_encoding() {
    let plain = read(PACKET.as_bytes());
    let big: Vec<u8> = PACKET.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let little: Vec<u8> = PACKET.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let wide: Vec<u8> = PACKET.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    for packet in [big, little, wide] {
        assert_eq!(read(&packet), plain);
    }
}

#[test]
fn ends_on_broken_packets() {
    for end in 0..PACKET.len() {
        read(&PACKET.as_bytes()[..end]);
    }
    let deep = "<rdf:Description>".repeat(10_000);
    assert!(read(deep.as_bytes()).is_empty());
}

#[test]
fn strangers_with_known_names() {
    let packet =
        "<x:xmpmeta xmlns:x='urn:1'><rdf:RDF xmlns:rdf='urn:2'><rdf:Description rdf:about=''
        xmlns:q='urn:3' q:a='1'><q:b/><q:ABC><rdf:Seq><rdf:li>2</rdf:li><rdf:li xml:lang='de'>3
        </rdf:li></rdf:Seq></q:ABC></rdf:Description></rdf:RDF></x:xmpmeta>";
    let tags = read(packet.as_bytes());
    let tags: Vec<_> = tags.iter().map(|(g, n, v)| (&**g, &**n, &**v)).collect();
    const GROUP: &str = "XMP-tmp0";
    assert_eq!(
        tags,
        [
            (GROUP, "XmpmetaRdfDescriptionAbout", ""),
            (GROUP, "XmpmetaRdfDescriptionA", "1"),
            (GROUP, "XmpmetaRdfDescriptionB", ""),
            (GROUP, "XmpmetaRdfDescriptionAbcSeqLi", "2"),
        ]
    );
}

#[test]
fn of_what_is_said_twice() {
    let packet = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'
        xmlns:exif='http://ns.adobe.com/exif/1.0/' xmlns:dc='urn:no'>
        <rdf:Description rdf:about='a'><exif:X>1</exif:X><exif:X>2</exif:X><xmp:Label>1</xmp:Label>
        <xmp:Label>2</xmp:Label></rdf:Description><rdf:Description rdf:about='b' dc:Title='t'/>
        </rdf:RDF>";
    let tags = read(packet.as_bytes());
    let tags: Vec<_> = tags.iter().map(|(g, n, v)| (&**g, &**n, &**v)).collect();
    let want = [
        ("XMP-rdf", "About", "b"),
        ("XMP-exif", "TagX", "1"),
        ("XMP-xmp", "Label", "1"),
        ("XMP-xmp", "Label", "2"),
        ("XMP-tmp0", "Title", "t"),
    ];
    assert_eq!(tags, want);
}

#[test]
fn lists_that_say_one_thing() {
    let list = |name: &str, items: &[&str]| {
        let items: String = items.iter().map(|item| format!("<rdf:li>{item}</rdf:li>")).collect();
        format!("<{name}><rdf:Seq>{items}</rdf:Seq></{name}>")
    };
    let packet = format!(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'
        xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:exifEX='http://cipa.jp/exif/1.0/'>
        <rdf:Description exifEX:SensitivityType='2' exifEX:CompositeImage='3'>{}{}
        </rdf:Description></rdf:RDF>",
        list("exifEX:LensSpecification", &["24/1", "70/1", "28/10", "28/10"]),
        list("tiff:YCbCrSubSampling", &["2", "2"])
    );
    let tags = read(packet.as_bytes());
    let tags: Vec<_> = tags.iter().map(|(g, n, v)| (&**g, &**n, &**v)).collect();
    let want = [
        ("XMP-exifEX", "SensitivityType", "Recommended Exposure Index"),
        ("XMP-exifEX", "CompositeImage", "Composite Image Captured While Shooting"),
        ("XMP-exifEX", "LensInfo", "24-70mm f/2.8"),
        ("XMP-tiff", "YCbCrSubSampling", "YCbCr4:2:0 (2 2)"),
    ];
    assert_eq!(tags, want);
}
