//! What came of a run, as JSON: the same object stands in the trace and in the page.

use crate::Recording;
use serde_json::{Value, json};

impl Recording {
    /// The figures of the run: totals of the job, the machine's peaks and the bound that follows
    /// from them with the shares reached (`null` where the peaks are not known), and the spans by name.
    pub fn summary_json(&self) -> Value {
        let summary = &self.summary;
        let job = &summary.job;
        json!({
            "title": summary.title,
            "facts": summary.facts,
            "wall_s": summary.wall_s,
            "cpu_s": job.cpu_s,
            "read_bytes": job.read_bytes,
            "disk_bytes": job.disk_bytes,
            "written_bytes": job.written_bytes,
            "files": summary.files,
            "peak_memory_bytes": summary.peak_memory_bytes,
            "light": summary.light,
            "bound": self.bound_json(),
            "advice": summary.advice,
            "duration_ns": self.duration_ns,
            "spans": self.span_count(),
            "dropped_spans": self.dropped_spans,
            "totals": self.totals(),
            "table": summary.table,
        })
    }

    fn bound_json(&self) -> Option<Value> {
        let (job, wall_s) = (&self.summary.job, self.summary.wall_s);
        self.summary.light.map(|light| {
            let bound = light.bound(job);
            let shares = light.shares(job, wall_s);
            json!({
                "read_s": bound.read_s,
                "disk_s": bound.disk_s,
                "write_s": bound.write_s,
                "cpu_s": bound.cpu_s,
                "memory_s": bound.memory_s,
                "seconds": bound.seconds(),
                "binding": bound.binding(),
                "achieved": shares.bytes,
                "cores": shares.cores,
                "wrong_peaks": shares.wrong_peaks,
            })
        })
    }
}
