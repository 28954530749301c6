//! Recording a run, and what is made of it: a trace and a page.

use crate::write_bytes;
use solio_base::{Error, Result, Work};
use solio_measure::{Recorder, Recording, Summary, peak_rss_bytes, report_html, trace_json};
use std::path::PathBuf;

/// Which files a recording becomes.
///
/// ```
/// use solio::{Record, Summary, Work};
/// # let folder = tempfile::tempdir().unwrap();
/// # let trace = folder.path().join("trace.json");
/// let record = Record { trace: Some(trace.clone()), report: None };
/// let recorded = record.start()?.expect("a file is wanted");
/// solio::read_mesh_bytes(b"v 0 0 0\n", &Default::default(), &Work::default())?;
/// recorded.finish(Summary::default(), &Work::default())?;
/// // For https://ui.perfetto.dev or chrome://tracing.
/// assert!(std::fs::read_to_string(&trace).unwrap().contains("\"traceEvents\""));
/// # Ok::<(), solio::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// A trace for Chrome or Perfetto.
    pub trace: Option<PathBuf>,
    /// A page of HTML that needs nothing else.
    pub report: Option<PathBuf>,
}

/// A recording under way; [`Recorded::finish`] writes its files.
///
/// ```
/// use solio::{Record, SpanName, Summary, Work};
/// static SIMULATE: SpanName = SpanName::new("simulate");
/// # let folder = tempfile::tempdir().unwrap();
/// # let page = folder.path().join("run.html");
/// let record = Record { report: Some(page.clone()), ..Record::default() };
/// let recorded = record.start()?.expect("a page is wanted");
/// {
///     let _span = SIMULATE.begin();
///     // … work of your own: it stands on the page beside Solio's.
/// }
/// recorded.finish(Summary::default(), &Work::default())?;
/// assert!(std::fs::read_to_string(&page).unwrap().contains("simulate"));
/// # Ok::<(), solio::Error>(())
/// ```
pub struct Recorded {
    files: Record,
    recorder: Recorder,
}

impl Record {
    /// Whether any file is wanted.
    ///
    /// ```
    /// use solio::Record;
    /// assert!(!Record::default().is_wanted());
    /// let page = Record { report: Some("run.html".into()), ..Record::default() };
    /// assert!(page.is_wanted());
    /// ```
    pub fn is_wanted(&self) -> bool {
        self.trace.is_some() || self.report.is_some()
    }

    /// Starts to record; `None` where no file is wanted.
    ///
    /// ```
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let page = folder.path().join("run.html");
    /// use solio::{Record, Summary, Work};
    /// let record = Record { report: Some(page.clone()), ..Record::default() };
    /// let recorded = record.start()?;
    /// // … the work.
    /// if let Some(recorded) = recorded {
    ///     recorded.finish(Summary::default(), &Work::default())?;
    /// }
    /// assert!(page.exists());
    /// # Ok::<(), solio::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Argument` while another recording of this process is under way.
    pub fn start(&self) -> Result<Option<Recorded>> {
        if !self.is_wanted() {
            return Ok(None);
        }
        let Some(recorder) = Recorder::start() else {
            return Err(Error::argument("another run of this process is being recorded"));
        };
        Ok(Some(Recorded { files: self.clone(), recorder }))
    }
}

impl Recorded {
    /// Stops, and writes the files, each whole or not at all. Facts about the version and the
    /// machine are added to the summary, and the peak of memory.
    ///
    /// ```
    /// use solio::{Record, Summary, Work};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let record = Record { report: Some(folder.path().join("run.html")), ..Record::default() };
    /// # let recorded = record.start()?.expect("a page is wanted");
    /// let summary = Summary { title: "bake".into(), files: 12, ..Summary::default() };
    /// let recording = recorded.finish(summary, &Work { threads: 3, ..Work::default() })?;
    /// // Seconds come from its own clock.
    /// assert!(recording.summary.wall_s > 0.0 && recording.summary.files == 12);
    /// assert!(recording.summary.facts.contains(&("threads".into(), "3".into())));
    /// # Ok::<(), solio::Error>(())
    /// ```
    pub fn finish(self, mut summary: Summary, work: &Work) -> Result<Recording> {
        summary.peak_memory_bytes = summary.peak_memory_bytes.max(peak_rss_bytes());
        summary.facts.extend([
            ("solio".into(), env!("CARGO_PKG_VERSION").into()),
            ("threads".into(), work.threads.to_string()),
            ("CPU kernels".into(), solio_base::cpu::tier().name().into()),
        ]);
        let recording = self.recorder.finish(summary);
        if let Some(path) = &self.files.trace {
            write_bytes(path, trace_json(&recording).as_bytes())?;
        }
        if let Some(path) = &self.files.report {
            write_bytes(path, report_html(&recording).as_bytes())?;
        }
        Ok(recording)
    }
}
